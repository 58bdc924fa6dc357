import { type PartRight, parseCallId } from '@countersign/contracts';
import type { Statement } from '../store.js';
import type { Escalation, RequestedApproval } from './approvals.js';

/** What one or more events report about an approval; null for what they do not report (yet). */
export interface ApprovalWrite {
  approval_id: string;
  tenant_id: string;
  partition: number;
  request: { call_id: string; revision: number; requested_at_ms: number; expires_at_ms: number; requirement: RequestedApproval } | null;
  end: {
    kind: 'granted' | 'denied' | 'expired' | 'cancelled' | 'superseded';
    at_ms: number;
    by: string | null;
    reason: string | null;
  } | null;
}

/** What one or more events report about a part of a request; '' names the only part. */
export interface PartWrite {
  tenant_id: string;
  approval_id: string;
  rule: string;
  /** The newest count. */
  approvals: number | null;
  /** The newest escalation. */
  escalation: Escalation | null;
}

/** What one or more events report about a vote: that it was cast, and policy's verdict. */
export interface VoteWrite {
  tenant_id: string;
  approval_id: string;
  vote_id: string;
  cast: { voter_id: string; vote: string; reason: string | null; voted_at_ms: number } | null;
  verdict: { kind: 'counted' | 'refused'; reason: string | null; in_parts: PartRight[] } | null;
}

/** At most one row for each approval in one statement. The first request and the first end are kept, in whatever order they are written. */
export function upsertApprovals(rows: readonly ApprovalWrite[]): Statement {
  return {
    name: 'views_upsert_approvals',
    text: `INSERT INTO {approvals} AS approvals (tenant_id, approval_id, partition, call_uuid, revision, requested_at_ms, expires_at_ms,
                                  requirement, end_kind, ended_at_ms, ended_by, end_reason)
           SELECT * FROM unnest($1::text[], $2::text[], $3::int2[], $4::uuid[], $5::int4[], $6::int8[], $7::int8[], $8::text[],
                                $9::text[], $10::int8[], $11::text[], $12::text[])
           ON CONFLICT (tenant_id, approval_id) DO UPDATE SET
             call_uuid = COALESCE(approvals.call_uuid, excluded.call_uuid),
             revision = COALESCE(approvals.revision, excluded.revision),
             requested_at_ms = COALESCE(approvals.requested_at_ms, excluded.requested_at_ms),
             expires_at_ms = COALESCE(approvals.expires_at_ms, excluded.expires_at_ms),
             requirement = COALESCE(approvals.requirement, excluded.requirement),
             ended_at_ms = CASE WHEN approvals.end_kind IS NULL THEN excluded.ended_at_ms ELSE approvals.ended_at_ms END,
             ended_by = CASE WHEN approvals.end_kind IS NULL THEN excluded.ended_by ELSE approvals.ended_by END,
             end_reason = CASE WHEN approvals.end_kind IS NULL THEN excluded.end_reason ELSE approvals.end_reason END,
             end_kind = COALESCE(approvals.end_kind, excluded.end_kind)`,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.approval_id),
      rows.map((row) => row.partition),
      rows.map((row) => (row.request && parseCallId(row.request.call_id)?.uuid) ?? null),
      rows.map((row) => row.request?.revision ?? null),
      rows.map((row) => row.request?.requested_at_ms ?? null),
      rows.map((row) => row.request?.expires_at_ms ?? null),
      rows.map((row) => (row.request ? JSON.stringify(row.request.requirement) : null)),
      rows.map((row) => row.end?.kind ?? null),
      rows.map((row) => row.end?.at_ms ?? null),
      rows.map((row) => row.end?.by ?? null),
      rows.map((row) => row.end?.reason ?? null),
    ],
  };
}

/** At most one row for each vote in one statement. */
export function upsertVotes(rows: readonly VoteWrite[]): Statement {
  return {
    name: 'views_upsert_votes',
    text: `INSERT INTO {approval_votes} AS approval_votes (tenant_id, approval_id, vote_id, voter_id, vote, reason, voted_at_ms, verdict, verdict_reason, in_parts)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::text[], $9::text[], $10::text[])
           ON CONFLICT (tenant_id, approval_id, vote_id) DO UPDATE SET
             voter_id = COALESCE(approval_votes.voter_id, excluded.voter_id),
             vote = COALESCE(approval_votes.vote, excluded.vote),
             reason = COALESCE(approval_votes.reason, excluded.reason),
             voted_at_ms = COALESCE(approval_votes.voted_at_ms, excluded.voted_at_ms),
             verdict_reason = CASE WHEN approval_votes.verdict IS NULL THEN excluded.verdict_reason ELSE approval_votes.verdict_reason END,
             in_parts = CASE WHEN approval_votes.verdict IS NULL THEN excluded.in_parts ELSE approval_votes.in_parts END,
             verdict = COALESCE(approval_votes.verdict, excluded.verdict)`,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.approval_id),
      rows.map((row) => row.vote_id),
      rows.map((row) => row.cast?.voter_id ?? null),
      rows.map((row) => row.cast?.vote ?? null),
      rows.map((row) => row.cast?.reason ?? null),
      rows.map((row) => row.cast?.voted_at_ms ?? null),
      rows.map((row) => row.verdict?.kind ?? null),
      rows.map((row) => row.verdict?.reason ?? null),
      rows.map((row) => (row.verdict ? JSON.stringify(row.verdict.in_parts) : null)),
    ],
  };
}

/** At most one row for each part in one statement. */
export function upsertParts(rows: readonly PartWrite[]): Statement {
  return {
    name: 'views_upsert_approval_parts',
    text: `INSERT INTO {approval_parts} AS approval_parts (tenant_id, approval_id, rule, approvals, escalation)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int4[], $5::text[])
           ON CONFLICT (tenant_id, approval_id, rule) DO UPDATE SET
             approvals = COALESCE(excluded.approvals, approval_parts.approvals),
             escalation = COALESCE(excluded.escalation, approval_parts.escalation)`,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.approval_id),
      rows.map((row) => row.rule),
      rows.map((row) => row.approvals),
      rows.map((row) => (row.escalation ? JSON.stringify(row.escalation) : null)),
    ],
  };
}
