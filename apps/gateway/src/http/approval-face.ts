import type { CallState } from '@countersign/domain';
import type { ApprovalRow } from '@countersign/store';
import { callFace } from './envelope.js';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function callPart(stateJson: string | null): Record<string, unknown> | null {
  if (stateJson === null) return null;
  const state = JSON.parse(stateJson) as CallState;
  const { name, version, case_id, run_id, status, input, decision } = callFace(state);
  const { principal, context, inputs_digest, contract_digest } = state.call ?? {};
  return { name, version, case_id, run_id, status, input, inputs_digest, contract_digest, decision, principal, context };
}

/** A request for approval as its approver needs it: what, why, by whom, and the votes so far. */
export function approvalFace(row: ApprovalRow): Record<string, unknown> {
  const { approval_id, call_id, revision, status, requirement } = row;
  return {
    approval_id,
    call_id,
    revision,
    status,
    requested_at: iso(row.requested_at_ms),
    expires_at: iso(row.expires_at_ms),
    ...requirement,
    decided_at: iso(row.ended_at_ms),
    decided_by: row.ended_by,
    reason: row.end_reason,
    votes: row.votes.map(({ voted_at_ms, ...vote }) => ({ ...vote, voted_at: iso(voted_at_ms) })),
    call: callPart(row.state_json),
  };
}
