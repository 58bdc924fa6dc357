import { bothForms, type Caller, callFace, mappingFace, seenBy } from '@countersign/calls';
import type { ToolCall } from '@countersign/contracts';
import { unpackCall } from '@countersign/domain';
import type { ApprovalRow, PartRow } from '@countersign/store';

type Reader = Pick<Caller, 'clearances'>;

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function callPart(packed: Buffer | null, reader: Reader): Record<string, unknown> | null {
  if (packed === null) return null;
  const state = seenBy(unpackCall(packed), reader);
  const face = callFace(state);
  const { name, version, case_id, run_id, status, input, decision, on_behalf_of, markings, withheld } = face;
  const { principal, context, inputs_digest, contract_digest } = state.call ?? {};
  return {
    name,
    version,
    case_id,
    run_id,
    status,
    input,
    ...bothForms(face),
    inputs_digest,
    contract_digest,
    decision,
    principal,
    on_behalf_of,
    context,
    markings,
    withheld,
  };
}

/** The inputs that an edit asks about, in both forms. */
function editedForms(edited: Pick<ToolCall, 'inputs_json' | 'mapped'>): Record<string, unknown> {
  const mapped_input: unknown = edited.mapped ? JSON.parse(edited.mapped.inputs_json) : undefined;
  return { input: JSON.parse(edited.inputs_json) as unknown, mapped_input, mapping: mappingFace(edited).mapping };
}

function partFace({ requested_at_ms, expires_at_ms, ...part }: PartRow): Record<string, unknown> {
  return { ...part, requested_at: iso(requested_at_ms), expires_at: iso(expires_at_ms) };
}

/** A request for approval as its approver needs it: what, why, by whom, and the votes so far. */
export function approvalFace(row: ApprovalRow, reader: Reader): Record<string, unknown> {
  const { approval_id, call_id, revision, status } = row;
  const { inputs_json, mapped, edit, requirement: terms, rule: _rule, ...requirement } = row.requirement;
  const call = callPart(row.state, reader);
  const asked = call && inputs_json && !call.withheld ? { ...call, ...editedForms({ inputs_json, mapped: mapped ?? null }) } : call;
  return {
    approval_id,
    call_id,
    revision,
    status,
    requested_at: iso(row.requested_at_ms),
    expires_at: iso(row.expires_at_ms),
    ...requirement,
    terms,
    edit: edit && { ...edit, diff: JSON.parse(edit.diff_json) as unknown, diff_json: undefined },
    decided_at: iso(row.ended_at_ms),
    decided_by: row.ended_by,
    reason: row.end_reason,
    parts: row.parts.map(partFace),
    votes: row.votes.map(({ voted_at_ms, ...vote }) => ({ ...vote, voted_at: iso(voted_at_ms) })),
    call: asked,
  };
}
