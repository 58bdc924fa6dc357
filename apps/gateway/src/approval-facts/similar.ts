import { seenBy } from '@countersign/calls';
import type { ToolCall, ToolContract } from '@countersign/contracts';
import { unpackCall } from '@countersign/domain';
import type { SimilarApprovalRow } from '@countersign/store';
import { inertText } from '../sentences/inert-text.js';
import { sentenceOf, unknownToolSentence } from '../sentences/sentence.js';
import { isPersonal } from '../sentences/shown-value.js';
import type { SimilarApproval } from './approval-facts.schemas.js';

const REASON_CHARS_MAX = 300;
const iso = (ms: number): string => new Date(ms).toISOString();

export interface SimilarQuestion {
  rows: readonly SimilarApprovalRow[];
  clearances: readonly string[];
  call: ToolCall;
  contractOf(version: string): ToolContract | undefined;
}

/** True if both calls have the same inputs. Sealed inputs differ each time; the digest for their key does not. */
function hasSameInputs(known: ToolCall | null, call: ToolCall): boolean {
  if (!known) return false;
  return call.sealed ? known.discriminating_digest === call.discriminating_digest : known.inputs_digest === call.inputs_digest;
}

/** A reason that a person gave; a sealed one stays one text, so that it is opened for the reader or shown as erased. */
const reasonOf = (reason: string | null): string | null =>
  reason === null || isPersonal(reason) ? reason : inertText(reason, REASON_CHARS_MAX).text;

/** Earlier requests for the same tool by the same rule, and how they ended: who decided, how and when. Pure. */
export function similarOf({ rows, clearances, call, contractOf }: SimilarQuestion): SimilarApproval[] {
  return rows.map((row) => {
    const state = seenBy(unpackCall(row.state), { clearances });
    const contract = state.call ? contractOf(state.call.version) : undefined;
    const inputs =
      state.withheld || !state.call ? undefined : (JSON.parse(state.call.mapped?.inputs_json ?? state.call.inputs_json) as unknown);
    const by = row.end_kind === 'granted' || row.ended_by === null ? row.approved_by : [row.ended_by];
    return {
      approval_id: row.approval_id,
      call_id: row.call_id,
      sentence: (contract ? sentenceOf(contract, inputs) : unknownToolSentence(call.tool)).text,
      same_inputs: hasSameInputs(state.call, call),
      approval_status: row.end_kind,
      call_status: row.status,
      requested_at: iso(row.requested_at_ms),
      decided_at: row.ended_at_ms === null ? null : iso(row.ended_at_ms),
      decided_by: by,
      reason: state.withheld ? null : reasonOf(row.end_reason),
    };
  });
}
