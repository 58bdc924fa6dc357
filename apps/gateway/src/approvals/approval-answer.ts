import { bothForms, type Caller, callJson, mappingJson, seenBy } from '@countersign/calls';
import type { ToolCall } from '@countersign/contracts';
import { unpackCall } from '@countersign/domain';
import type { ApprovalRow, PartRow } from '@countersign/store';
import type { z } from 'zod';
import type { callEnvelope } from '../calls/envelope.schema.js';
import type { Sentence } from '../sentences/sentence.js';
import type { ApprovalAnswer } from './approval-answers.schemas.js';

type Reader = Pick<Caller, 'clearances'>;

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

function callOf(packed: Buffer | null, reader: Reader): ApprovalAnswer['call'] {
  if (packed === null) return null;
  const state = seenBy(unpackCall(packed), reader);
  const json = callJson(state) as z.infer<typeof callEnvelope>;
  const { name, version, case_id, run_id, status, input, decision, on_behalf_of, markings, withheld } = json;
  const { principal, context, inputs_digest, contract_digest } = state.call ?? {};
  return {
    tool: name,
    name,
    version,
    case_id,
    run_id,
    status,
    inputs: input,
    input,
    ...bothForms(json),
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

/** The edited inputs of an approval request, in both forms. */
function editedForms(edited: Pick<ToolCall, 'inputs_json' | 'mapped'>): Record<string, unknown> {
  const mapped_input: unknown = edited.mapped ? JSON.parse(edited.mapped.inputs_json) : undefined;
  const inputs = JSON.parse(edited.inputs_json) as unknown;
  return { inputs, input: inputs, mapped_input, mapping: mappingJson(edited).mapping };
}

function partOf({ requested_at_ms, expires_at_ms, next: _next, ...part }: PartRow): ApprovalAnswer['parts'][number] {
  return { ...part, requested_at: iso(requested_at_ms), expires_at: iso(expires_at_ms) };
}

function editOf({ diff_json, ...edit }: NonNullable<ApprovalRow['requirement']['edit']>): ApprovalAnswer['edit'] {
  return { ...edit, diff: JSON.parse(diff_json) as unknown };
}

/** Response for an approval request: the call, its reason, its caller and the votes so far. */
export function approvalAnswerOf(row: ApprovalRow, reader: Reader, sentence: Sentence | null): ApprovalAnswer {
  const { approval_id, call_id, revision, status } = row;
  const { inputs_json, mapped, edit, requirement: terms, rule: _rule, ...requirement } = row.requirement;
  const call = callOf(row.state, reader);
  const requested = call && inputs_json && !call.withheld ? { ...call, ...editedForms({ inputs_json, mapped: mapped ?? null }) } : call;
  return {
    approval_id,
    call_id,
    sentence: sentence?.text ?? null,
    sentence_from: sentence?.from ?? null,
    revision,
    status,
    requested_at: iso(row.requested_at_ms),
    expires_at: iso(row.expires_at_ms),
    ...requirement,
    terms,
    edit: edit && editOf(edit),
    decided_at: isoOrNull(row.ended_at_ms),
    decided_by: row.ended_by,
    reason: row.end_reason,
    parts: row.parts.map(partOf),
    votes: row.votes.map(({ voted_at_ms, ...vote }) => ({ ...vote, voted_at: isoOrNull(voted_at_ms) })),
    call: requested,
  };
}
