import {
  type ApprovalEdit,
  type ApprovalEvidence,
  type ApprovalRequirement,
  callId,
  type MappedInputs,
  type PartRight,
  type ApprovalPart as RecordedPart,
} from '@countersign/contracts';
import type { Row, Sql } from '../store.js';
import { escalationOf, type PartRow, partRows, type ReportedPart, readParts } from './approval-parts.js';
import { Conditions } from './conditions.js';
import { type Cursor, type Page, pageOf } from './cursor.js';
import { readable } from './state-schemas.js';

/** `superseded`: an approver edited the inputs, and another request covers the edited inputs. */
export type ApprovalStatus = 'pending' | 'granted' | 'denied' | 'expired' | 'cancelled' | 'superseded';

/** Who must decide, and what a grant covers, as originally requested. */
export interface RequestedApproval {
  decision_id: string;
  approver_roles: string[];
  people: string[];
  quorum: number;
  reversibility: string;
  ruling_digest: string;
  rule: string | null;
  requirement: ApprovalRequirement | null;
  barred: string[];
  evidence: ApprovalEvidence | null;
  edit: ApprovalEdit | null;
  /** One for each rule that requires approval, as originally requested; empty in records from before parts existed. */
  parts: RecordedPart[];
  /** No person may approve two parts. */
  distinct: boolean;
  /** Whether similar calls can be approved too. */
  grantable: boolean;
  /** For an edit: the edited inputs; else the inputs are those of the call. */
  inputs_json: string | null;
  /** For an edit: the mapped inputs; absent: no mapping is in force. */
  mapped?: MappedInputs;
}

/** The group to which the request escalated because the previous group did not decide. */
export interface Escalation {
  level: number;
  approver_roles: string[];
  people: string[];
  quorum: number;
  expires_at_ms: number;
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
  /** The parts for which it counts, and the right by which it counts. */
  in_parts: PartRight[];
}

/** A request for approval with its votes and the state of its call. */
export interface ApprovalRow {
  approval_id: string;
  tenant_id: string;
  call_id: string;
  revision: number;
  status: ApprovalStatus;
  requested_at_ms: number;
  expires_at_ms: number;
  /** The current requirement: that of the new group after an escalation. */
  requirement: Omit<RequestedApproval, 'parts'> & { level: number };
  /** The current state of the parts. */
  parts: PartRow[];
  ended_at_ms: number | null;
  ended_by: string | null;
  end_reason: string | null;
  votes: VoteRow[];
  /** State of the call, packed (`unpackCall`); null for a short time at most. */
  state: Buffer | null;
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
  state: Buffer | null;
}

const SELECT = `SELECT approvals.*, calls.state FROM approvals
  LEFT JOIN calls ON calls.call_uuid = approvals.call_uuid AND calls.partition = approvals.partition
    AND calls.tenant_id = approvals.tenant_id`;

function approvalRow(row: StoredApproval, votes: VoteRow[], reported: readonly ReportedPart[]): ApprovalRow {
  const { parts: recorded, ...requested } = JSON.parse(row.requirement) as RequestedApproval;
  const { requested_at_ms, expires_at_ms: ends_at_ms } = row;
  const parts = partRows({ ...requested, parts: recorded, requested_at_ms, expires_at_ms: ends_at_ms }, reported);
  const open = parts.filter(({ met }) => !met);
  const expires_at_ms = Math.min(...(open.length > 0 ? open : parts).map((part) => part.expires_at_ms));
  const { expires_at_ms: _, ...group } = escalationOf(reported, '') ?? { expires_at_ms, level: 0 };
  return {
    approval_id: row.approval_id,
    tenant_id: row.tenant_id,
    call_id: callId(row.partition, row.call_uuid),
    revision: row.revision,
    status: row.end_kind ?? 'pending',
    requested_at_ms: row.requested_at_ms,
    expires_at_ms,
    requirement: { ...requested, ...group },
    parts,
    ended_at_ms: row.ended_at_ms,
    ended_by: row.ended_by,
    end_reason: row.end_reason,
    votes,
    state: row.state,
  };
}

async function withVotes(sql: Sql, tenant_id: string, rows: StoredApproval[]): Promise<ApprovalRow[]> {
  if (rows.length === 0) return [];
  const votes = await sql.query<Omit<VoteRow, 'in_parts'> & { approval_id: string; in_parts: string | null }>({
    name: 'views_read_votes',
    text: `SELECT approval_id, vote_id, voter_id, vote, reason, voted_at_ms, verdict, verdict_reason, in_parts FROM approval_votes
           WHERE tenant_id = $1 AND approval_id = ANY($2::text[]) ORDER BY voted_at_ms, vote_id`,
    params: [tenant_id, rows.map((row) => row.approval_id)],
  });
  const byApproval = new Map<string, VoteRow[]>(rows.map((row) => [row.approval_id, []]));
  for (const { approval_id, in_parts, ...vote } of votes)
    byApproval.get(approval_id)?.push({ ...vote, in_parts: JSON.parse(in_parts ?? '[]') as PartRight[] } as VoteRow);
  const parts = await readParts(
    sql,
    tenant_id,
    rows.map((row) => row.approval_id),
  );
  return (await readable(sql, rows)).map((row) =>
    approvalRow(row, byApproval.get(row.approval_id) ?? [], parts.get(row.approval_id) ?? []),
  );
}

export async function readApproval(sql: Sql, tenant_id: string, approval_id: string): Promise<ApprovalRow | undefined> {
  const rows = await sql.query<StoredApproval>({
    name: 'views_read_approval',
    text: `${SELECT} WHERE approvals.tenant_id = $1 AND approvals.approval_id = $2 AND approvals.requested_at_ms IS NOT NULL`,
    params: [tenant_id, approval_id],
  });
  return (await withVotes(sql, tenant_id, rows))[0];
}

/** Those of the approvals that this tenant has. */
export async function readApprovals(sql: Sql, tenant_id: string, approval_ids: readonly string[]): Promise<ApprovalRow[]> {
  const rows = await sql.query<StoredApproval>({
    name: 'views_read_approvals',
    text: `${SELECT} WHERE approvals.tenant_id = $1 AND approvals.approval_id = ANY($2::text[]) AND approvals.requested_at_ms IS NOT NULL`,
    params: [tenant_id, approval_ids],
  });
  return withVotes(sql, tenant_id, rows);
}

/** How many earlier approval requests are searched for similar calls. */
const SIMILAR_AMONG = 200;

export interface SimilarRow extends Row {
  partition: number;
  call_uuid: string;
  status: string;
  requested_at_ms: number;
  state: Buffer;
}

/** The newest calls of a tool with an approval request before a time, newest first, with their packed states. */
export async function similarCalls(
  sql: Sql,
  { tenant_id, tool, before_ms, limit }: { tenant_id: string; tool: string; before_ms: number; limit: number },
): Promise<readonly SimilarRow[]> {
  const rows = await sql.query<SimilarRow>({
    name: 'views_similar_calls',
    text: `SELECT calls.partition, calls.call_uuid, calls.status, calls.requested_at_ms, calls.state
           FROM (SELECT call_uuid, partition, requested_at_ms FROM approvals
                 WHERE tenant_id = $1 AND requested_at_ms IS NOT NULL AND requested_at_ms < $3
                 ORDER BY requested_at_ms DESC, approval_id DESC LIMIT ${SIMILAR_AMONG}) a
           JOIN calls ON calls.call_uuid = a.call_uuid AND calls.partition = a.partition
           WHERE calls.tenant_id = $1 AND calls.tool = $2 ORDER BY a.requested_at_ms DESC LIMIT $4`,
    params: [tenant_id, tool, before_ms, limit],
  });
  return readable(sql, rows);
}

export interface ApprovalQuery {
  tenant_id: string;
  status?: ApprovalStatus;
  tool?: string;
  /** The rule that requested the approval. */
  rule?: string;
  /** Range of the request time: from (inclusive), to (exclusive); epoch ms. */
  from_ms?: number;
  before_ms?: number;
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
}

/** Longest-waiting first. */
export async function listApprovals(sql: Sql, query: ApprovalQuery): Promise<Page<ApprovalRow>> {
  const conditions = new Conditions().equal('approvals.tenant_id', query.tenant_id).add('approvals.requested_at_ms IS NOT NULL');
  if (query.status === 'pending') conditions.add('approvals.end_kind IS NULL');
  else conditions.equal('approvals.end_kind', query.status);
  conditions.equal('calls.tool', query.tool).equal("approvals.requirement::jsonb ->> 'rule'", query.rule);
  if (query.from_ms !== undefined) conditions.add('approvals.requested_at_ms >= ?::int8', query.from_ms);
  if (query.before_ms !== undefined) conditions.add('approvals.requested_at_ms < ?::int8', query.before_ms);
  if (query.after) conditions.add('(approvals.requested_at_ms, approvals.approval_id) > (?::int8, ?)', query.after.at, query.after.id);
  const limit = conditions.param(query.limit + 1);
  const rows = await sql.query<StoredApproval>({
    text: `${SELECT} WHERE ${conditions.where} ORDER BY approvals.requested_at_ms, approvals.approval_id LIMIT ${limit}`,
    params: conditions.params,
  });
  return pageOf(await withVotes(sql, query.tenant_id, rows), query.limit, (row) => ({ at: row.requested_at_ms, id: row.approval_id }));
}
