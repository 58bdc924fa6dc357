import { callId, parseCallId } from '@countersign/contracts';
import type { Row, Sql } from '../store.js';

/** What an event says about a call, a case, a saga or an approval: its current status, and its case if there is one. */
export interface ItemNow {
  status: string;
  case_id: string | null;
}

interface FoundItem extends Row, ItemNow {
  id: string;
}

const byId = (rows: readonly FoundItem[]): Map<string, ItemNow> =>
  new Map(rows.map(({ id, status, case_id }) => [id, { status, case_id }]));

interface FoundCall extends Row, ItemNow {
  call_uuid: string;
  partition: number;
}

const partsOf = (call_ids: readonly string[]): [string[], number[]] => {
  const ids = call_ids.map(parseCallId).filter((id) => id !== undefined);
  return [ids.map(({ uuid }) => uuid), ids.map(({ partition }) => partition)];
};

/** Those of the calls that this tenant has. */
export async function callsNow(sql: Sql, tenant_id: string, call_ids: readonly string[]): Promise<Map<string, ItemNow>> {
  const rows = await sql.query<FoundCall>({
    name: 'views_calls_now',
    text: `SELECT call_uuid, partition, status, case_id FROM calls
           JOIN unnest($1::uuid[], $2::int2[]) AS wanted(call_uuid, partition) USING (call_uuid, partition)
           WHERE tenant_id = $3 AND requested_at_ms > 0`,
    params: [...partsOf(call_ids), tenant_id],
  });
  return byId(rows.map(({ call_uuid, partition, ...now }) => ({ id: callId(partition, call_uuid), ...now })));
}

/** Those of the approvals that this tenant has; the case is that of the call. */
export async function approvalsNow(sql: Sql, tenant_id: string, approval_ids: readonly string[]): Promise<Map<string, ItemNow>> {
  const rows = await sql.query<FoundItem>({
    name: 'views_approvals_now',
    text: `SELECT approval_id AS id, COALESCE(end_kind, 'pending') AS status, calls.case_id FROM approvals
           LEFT JOIN calls ON calls.call_uuid = approvals.call_uuid AND calls.partition = approvals.partition
             AND calls.tenant_id = approvals.tenant_id
           WHERE approvals.tenant_id = $1 AND approval_id = ANY($2::text[]) AND approvals.requested_at_ms IS NOT NULL`,
    params: [tenant_id, approval_ids],
  });
  return byId(rows);
}

/** The approvals that ended because their calls were cancelled: call_id → approval_ids. */
export async function cancelledApprovals(sql: Sql, tenant_id: string, call_ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await sql.query<{ call_uuid: string; partition: number; approval_id: string }>({
    name: 'views_cancelled_approvals',
    text: `SELECT call_uuid, partition, approval_id FROM approvals
           JOIN unnest($1::uuid[], $2::int2[]) AS wanted(call_uuid, partition) USING (call_uuid, partition)
           WHERE tenant_id = $3 AND end_kind = 'cancelled' ORDER BY approval_id`,
    params: [...partsOf(call_ids), tenant_id],
  });
  return grouped(rows.map(({ call_uuid, partition, approval_id }) => [callId(partition, call_uuid), approval_id]));
}

/** A ticket that was closed. */
export interface ClosedTicket extends Row {
  saga_id: string;
  ticket_id: string;
  closed_at_ms: number;
}

/** The closed tickets of these sagas. */
export async function closedTickets(sql: Sql, tenant_id: string, saga_ids: readonly string[]): Promise<ClosedTicket[]> {
  return sql.query<ClosedTicket>({
    name: 'views_closed_tickets',
    text: `SELECT saga_id, saga_id || '.' || opened_offset AS ticket_id, closed_at_ms FROM saga_tickets
           WHERE tenant_id = $1 AND saga_id = ANY($2::text[]) AND closed_at_ms IS NOT NULL ORDER BY opened_offset`,
    params: [tenant_id, saga_ids],
  });
}

function grouped(pairs: readonly (readonly [string, string])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value]);
  return groups;
}
