import { callId, parseCallId } from '@countersign/contracts';
import type { Row, Sql, Statement } from '../store.js';
import { Conditions } from './conditions.js';
import { type Cursor, type Page, pageOf } from './cursor.js';
import { readable } from './state-schemas.js';

/** One call as stored in the view. `state`: its domain `CallState`, packed (`unpackCall`). */
export interface CallRow {
  call_id: string;
  tenant_id: string;
  case_id: string | null;
  run_id: string | null;
  tool: string;
  status: string;
  requested_at_ms: number;
  /** Highest hlc of the events folded into the row; never decreases. */
  hlc: number;
  state: Buffer;
}

/**
 * What the projector writes: the newest fold of each call, at most one row for each call in one statement. Until the request itself is
 * folded, `requested_at_ms` is 0 and readers do not see the row.
 */
export type CallWrite = CallRow & {
  waits_approval: boolean;
  external_id?: string | null;
  metadata_json?: string | null;
  /** Patterns of injection in its answer, joined by commas; null: none. */
  flags?: string | null;
};

const COLUMNS = 'call_uuid, partition, tenant_id, case_id, run_id, tool, status, requested_at_ms, hlc, state';

interface StoredCall extends Row {
  call_uuid: string;
  partition: number;
  tenant_id: string;
  case_id: string | null;
  run_id: string | null;
  tool: string;
  status: string;
  requested_at_ms: number;
  hlc: number;
  state: Buffer;
}

function callRow({ call_uuid, partition, ...rest }: StoredCall): CallRow {
  return { call_id: callId(partition, call_uuid), ...rest };
}

/** The call, or undefined if this tenant has no call of that id (yet). */
export async function readCall(sql: Sql, tenant_id: string, call_id: string): Promise<CallRow | undefined> {
  const id = parseCallId(call_id);
  if (!id) return undefined;
  const found = await sql.query<StoredCall>({
    name: 'views_read_call',
    text: `SELECT ${COLUMNS} FROM calls WHERE call_uuid = $1 AND partition = $2 AND tenant_id = $3 AND requested_at_ms > 0`,
    params: [id.uuid, id.partition, tenant_id],
  });
  const [row] = await readable(sql, found);
  return row && callRow(row);
}

export interface CallQuery {
  tenant_id: string;
  case_id?: string;
  run_id?: string;
  tool?: string;
  /** A call matches if it has one of these statuses. */
  status?: string | readonly string[];
  external_id?: string;
  /** A call matches if it has all of these entries. */
  metadata?: Readonly<Record<string, string>>;
  /** Inclusive range of the request time; epoch ms. */
  from_ms?: number;
  to_ms?: number;
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
}

/** Newest request first. */
export async function listCalls(sql: Sql, query: CallQuery): Promise<Page<CallRow>> {
  const conditions = new Conditions().equal('tenant_id', query.tenant_id).add('requested_at_ms > 0');
  conditions.equal('case_id', query.case_id).equal('run_id', query.run_id).equal('tool', query.tool);
  if (query.status !== undefined) conditions.add('status = ANY(?::text[])', [query.status].flat());
  conditions.equal('external_id', query.external_id).holds('metadata', query.metadata);
  if (query.from_ms !== undefined) conditions.add('requested_at_ms >= ?::int8', query.from_ms);
  if (query.to_ms !== undefined) conditions.add('requested_at_ms <= ?::int8', query.to_ms);
  const id = query.after && parseCallId(query.after.id);
  if (query.after && id) {
    conditions.add('(requested_at_ms, call_uuid, partition) < (?::int8, ?::uuid, ?::int2)', query.after.at, id.uuid, id.partition);
  }
  const limit = conditions.param(query.limit + 1);
  const rows = await sql.query<StoredCall>({
    text: `SELECT ${COLUMNS} FROM calls WHERE ${conditions.where}
           ORDER BY requested_at_ms DESC, call_uuid DESC, partition DESC LIMIT ${limit}`,
    params: conditions.params,
  });
  return pageOf((await readable(sql, rows)).map(callRow), query.limit, (call) => ({ at: call.requested_at_ms, id: call.call_id }));
}

/** Whether another tenant has a call of this id. */
export async function isCallOfAnother(sql: Sql, tenant_id: string, call_id: string): Promise<boolean> {
  const id = parseCallId(call_id);
  if (!id) return false;
  const rows = await sql.query({
    name: 'views_call_of_another',
    text: 'SELECT 1 FROM calls WHERE call_uuid = $1 AND partition = $2 AND tenant_id <> $3',
    params: [id.uuid, id.partition, tenant_id],
  });
  return rows.length > 0;
}

/** The stored folds of these calls, whatever their tenant: the projector continues from them. */
export async function loadCallStates(sql: Sql, call_ids: readonly string[]): Promise<Map<string, Buffer>> {
  const ids = call_ids.map(parseCallId).filter((id) => id !== undefined);
  const rows = await sql.query<{ call_uuid: string; partition: number; state: Buffer }>({
    name: 'views_load_calls',
    text: `SELECT call_uuid, partition, state FROM {calls}
           JOIN unnest($1::uuid[], $2::int2[]) AS wanted(call_uuid, partition) USING (call_uuid, partition)`,
    params: [ids.map((id) => id.uuid), ids.map((id) => id.partition)],
  });
  return new Map((await readable(sql, rows)).map((row) => [callId(row.partition, row.call_uuid), row.state]));
}

/** Highest hlc of the rows of a partition whose request is not folded yet; 0 if there is none. */
export async function unrequestedHlc(sql: Sql, partition: number): Promise<number> {
  const rows = await sql.query<{ hlc: number | null }>({
    name: 'views_unrequested_hlc',
    text: 'SELECT max(hlc) AS hlc FROM {calls} WHERE partition = $1 AND requested_at_ms = 0',
    params: [partition],
  });
  return rows[0]?.hlc ?? 0;
}

/** A row that already has a later event is not changed: the write then repeats its request. */
export function upsertCalls(rows: readonly CallWrite[]): Statement {
  const ids = rows.map((row) => parseCallId(row.call_id) as { partition: number; uuid: string });
  return {
    name: 'views_upsert_calls',
    text: `INSERT INTO {calls} AS calls (${COLUMNS}, waits_approval, external_id, metadata, flags)
           SELECT * FROM unnest($1::uuid[], $2::int2[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                                $8::int8[], $9::int8[], $10::bytea[], $11::bool[], $12::text[], $13::text[], $14::text[])
           ON CONFLICT (call_uuid, partition) DO UPDATE SET
             case_id = excluded.case_id, run_id = excluded.run_id, tool = excluded.tool, status = excluded.status,
             requested_at_ms = excluded.requested_at_ms, hlc = excluded.hlc, state = excluded.state,
             waits_approval = excluded.waits_approval, external_id = excluded.external_id, metadata = excluded.metadata,
             flags = excluded.flags
           WHERE calls.hlc <= excluded.hlc`,
    params: [
      ids.map((id) => id.uuid),
      ids.map((id) => id.partition),
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.case_id),
      rows.map((row) => row.run_id),
      rows.map((row) => row.tool),
      rows.map((row) => row.status),
      rows.map((row) => row.requested_at_ms),
      rows.map((row) => row.hlc),
      rows.map((row) => row.state),
      rows.map((row) => row.waits_approval),
      rows.map((row) => row.external_id ?? null),
      rows.map((row) => row.metadata_json ?? null),
      rows.map((row) => row.flags ?? null),
    ],
  };
}

/** Open calls of all tenants, which a starting gateway must continue to watch. At most 100,000, newest first. */
export async function unfinishedCalls(sql: Sql): Promise<CallRow[]> {
  const rows = await sql.query<StoredCall>({
    name: 'views_unfinished_calls',
    text: `SELECT ${COLUMNS} FROM calls WHERE status IN ('pending_policy', 'pending_approval', 'running')
           ORDER BY call_uuid DESC LIMIT 100000`,
    params: [],
  });
  return (await readable(sql, rows)).map(callRow);
}

/** Statuses of the given calls that belong to this tenant and are in the view. */
export async function callStatuses(sql: Sql, tenant_id: string, call_ids: readonly string[]): Promise<Map<string, string>> {
  const ids = call_ids.map(parseCallId).filter((id) => id !== undefined);
  const rows = await sql.query<{ call_uuid: string; partition: number; status: string }>({
    name: 'views_call_statuses',
    text: `SELECT call_uuid, partition, status FROM calls
           JOIN unnest($1::uuid[], $2::int2[]) AS wanted(call_uuid, partition) USING (call_uuid, partition) WHERE tenant_id = $3`,
    params: [ids.map((id) => id.uuid), ids.map((id) => id.partition), tenant_id],
  });
  return new Map(rows.map((row) => [callId(row.partition, row.call_uuid), row.status]));
}
