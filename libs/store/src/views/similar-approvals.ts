import { callId } from '@countersign/contracts';
import type { Row, Sql } from '../store.js';
import type { ApprovalStatus } from './approvals.js';
import { readable } from './state-schemas.js';

/** How many earlier requests of the tenant are searched. */
const SEARCHED_MAX = 200;

/** An ended request for the same tool by the same rule, with the state of its call. */
export interface SimilarApprovalRow {
  approval_id: string;
  call_id: string;
  end_kind: ApprovalStatus;
  requested_at_ms: number;
  ended_at_ms: number | null;
  ended_by: string | null;
  end_reason: string | null;
  /** Status of the call. */
  status: string;
  /** Packed (`unpackCall`). */
  state: Buffer;
  /** People whose approvals counted. */
  approved_by: string[];
}

export interface SimilarApprovalsQuery {
  tenant_id: string;
  tool: string;
  rule: string | null;
  before_ms: number;
  /** The request that asks is not one of them. */
  own_approval_id: string;
  limit: number;
}

interface Stored extends Row {
  approval_id: string;
  end_kind: ApprovalStatus;
  requested_at_ms: number;
  ended_at_ms: number | null;
  ended_by: string | null;
  end_reason: string | null;
  status: string;
  state: Buffer;
  partition: number;
  call_uuid: string;
  approvers: string | null;
}

/** The newest ended requests like one, newest first, among the newest of the tenant. */
export async function similarApprovals(sql: Sql, query: SimilarApprovalsQuery): Promise<SimilarApprovalRow[]> {
  const { tenant_id, tool, rule, before_ms, own_approval_id, limit } = query;
  const rows = await sql.query<Stored>({
    name: 'views_similar_approvals',
    text: `SELECT a.approval_id, a.end_kind, a.requested_at_ms, a.ended_at_ms, a.ended_by, a.end_reason,
             c.partition, c.call_uuid, c.status, c.state,
             (SELECT json_agg(DISTINCT v.voter_id)::text FROM approval_votes v
              WHERE v.tenant_id = $1 AND v.approval_id = a.approval_id AND v.verdict = 'counted' AND v.vote IN ('approve', 'edit')) AS approvers
           FROM (SELECT * FROM approvals
                 WHERE tenant_id = $1 AND requested_at_ms IS NOT NULL AND requested_at_ms < $3
                 ORDER BY requested_at_ms DESC, approval_id DESC LIMIT ${SEARCHED_MAX}) a
           JOIN calls c ON c.call_uuid = a.call_uuid AND c.partition = a.partition AND c.tenant_id = $1
           WHERE c.tool = $2 AND a.end_kind IS NOT NULL AND a.approval_id <> $5
             AND ($4::text IS NULL OR a.requirement::jsonb ->> 'rule' = $4)
           ORDER BY a.requested_at_ms DESC LIMIT $6`,
    params: [tenant_id, tool, before_ms, rule, own_approval_id, limit],
  });
  return (await readable(sql, rows)).map(({ partition, call_uuid, approvers, ...row }) => ({
    ...row,
    call_id: callId(partition, call_uuid),
    approved_by: (JSON.parse(approvers ?? '[]') as (string | null)[]).filter((id): id is string => id !== null),
  }));
}
