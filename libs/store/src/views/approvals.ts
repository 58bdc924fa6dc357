import { callId } from '@countersign/contracts';
import type { Row, Sql } from '../store.js';
import { Conditions } from './conditions.js';
import { type Cursor, type Page, pageOf } from './cursor.js';

export type ApprovalStatus = 'pending' | 'granted' | 'denied' | 'expired' | 'cancelled';

/** Who must decide, and what a grant binds. */
export interface ApprovalRequirement {
  decision_id: string;
  approver_roles: string[];
  quorum: number;
  reversibility: string;
  ruling_digest: string;
}

export interface VoteRow extends Row {
  vote_id: string;
  voter_id: string | null;
  vote: string | null;
  reason: string | null;
  voted_at_ms: number | null;
  /** null while policy has not counted it. */
  verdict: 'counted' | 'refused' | null;
  verdict_reason: string | null;
}

/** A request for approval with its votes and the state of its call (JSON text of `CallState`; null for a moment at most). */
export interface ApprovalRow {
  approval_id: string;
  tenant_id: string;
  call_id: string;
  revision: number;
  status: ApprovalStatus;
  requested_at_ms: number;
  expires_at_ms: number;
  requirement: ApprovalRequirement;
  ended_at_ms: number | null;
  ended_by: string | null;
  end_reason: string | null;
  votes: VoteRow[];
  state_json: string | null;
}

interface StoredApproval extends Row {
  approval_id: string;
  tenant_id: string;
  partition: number;
  call_uuid: string;
  revision: number;
  requested_at_ms: number;
  expires_at_ms: number;
  requirement: string;
  end_kind: Exclude<ApprovalStatus, 'pending'> | null;
  ended_at_ms: number | null;
  ended_by: string | null;
  end_reason: string | null;
  state: string | null;
}

const SELECT = `SELECT approvals.*, calls.state FROM approvals
  LEFT JOIN calls ON calls.call_uuid = approvals.call_uuid AND calls.partition = approvals.partition
    AND calls.tenant_id = approvals.tenant_id`;

function approvalRow(row: StoredApproval, votes: VoteRow[]): ApprovalRow {
  return {
    approval_id: row.approval_id,
    tenant_id: row.tenant_id,
    call_id: callId(row.partition, row.call_uuid),
    revision: row.revision,
    status: row.end_kind ?? 'pending',
    requested_at_ms: row.requested_at_ms,
    expires_at_ms: row.expires_at_ms,
    requirement: JSON.parse(row.requirement) as ApprovalRequirement,
    ended_at_ms: row.ended_at_ms,
    ended_by: row.ended_by,
    end_reason: row.end_reason,
    votes,
    state_json: row.state,
  };
}

async function withVotes(sql: Sql, tenant_id: string, rows: StoredApproval[]): Promise<ApprovalRow[]> {
  if (rows.length === 0) return [];
  const votes = await sql.query<VoteRow & { approval_id: string }>({
    name: 'views_read_votes',
    text: `SELECT approval_id, vote_id, voter_id, vote, reason, voted_at_ms, verdict, verdict_reason FROM approval_votes
           WHERE tenant_id = $1 AND approval_id = ANY($2::text[]) ORDER BY voted_at_ms, vote_id`,
    params: [tenant_id, rows.map((row) => row.approval_id)],
  });
  const byApproval = new Map<string, VoteRow[]>(rows.map((row) => [row.approval_id, []]));
  for (const { approval_id, ...vote } of votes) byApproval.get(approval_id)?.push(vote as VoteRow);
  return rows.map((row) => approvalRow(row, byApproval.get(row.approval_id) ?? []));
}

export async function readApproval(sql: Sql, tenant_id: string, approval_id: string): Promise<ApprovalRow | undefined> {
  const rows = await sql.query<StoredApproval>({
    name: 'views_read_approval',
    text: `${SELECT} WHERE approvals.tenant_id = $1 AND approvals.approval_id = $2 AND approvals.requested_at_ms IS NOT NULL`,
    params: [tenant_id, approval_id],
  });
  return (await withVotes(sql, tenant_id, rows))[0];
}

export interface ApprovalQuery {
  tenant_id: string;
  status?: ApprovalStatus;
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
}

/** Longest waiting first. */
export async function listApprovals(sql: Sql, query: ApprovalQuery): Promise<Page<ApprovalRow>> {
  const conditions = new Conditions().equal('approvals.tenant_id', query.tenant_id).add('approvals.requested_at_ms IS NOT NULL');
  if (query.status === 'pending') conditions.add('approvals.end_kind IS NULL');
  else conditions.equal('approvals.end_kind', query.status);
  if (query.after) conditions.add('(approvals.requested_at_ms, approvals.approval_id) > (?::int8, ?)', query.after.at, query.after.id);
  const limit = conditions.param(query.limit + 1);
  const rows = await sql.query<StoredApproval>({
    text: `${SELECT} WHERE ${conditions.where} ORDER BY approvals.requested_at_ms, approvals.approval_id LIMIT ${limit}`,
    params: conditions.params,
  });
  return pageOf(await withVotes(sql, query.tenant_id, rows), query.limit, (row) => ({ at: row.requested_at_ms, id: row.approval_id }));
}
