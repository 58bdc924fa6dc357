import { lacking, type Outcome } from '@countersign/contracts';
import type { CallState, EndFact } from '@countersign/domain';
import type { Caller } from '../caller.js';

/** A call as a reader may see it. `withheld`: the markings that the reader lacks; inputs and results are then hidden. */
export type SeenCall = CallState & { withheld?: readonly string[] };

const NOT_CLEARED = 'hidden: the reader lacks a clearance for its markings';

function without(outcome: Outcome): Outcome {
  const error = outcome.error && { ...outcome.error, message: NOT_CLEARED, details_json: null };
  return { ...outcome, output_json: null, error, attachments: [], warnings: [] };
}

const ended = (fact: EndFact | null): EndFact | null => fact && { ...fact, outcome: without(fact.outcome) };

/** The call as this reader may see it: marked content is shown only to cleared readers, and the envelope lists the missing markings. */
export function seenBy(state: CallState, reader: Pick<Caller, 'clearances'>): SeenCall {
  const markings = state.call?.authority?.markings;
  if (!markings || markings.length === 0) return state;
  const withheld = lacking(markings, reader.clearances);
  if (withheld.length === 0) return state;
  const call = state.call && { ...state.call, inputs_json: 'null', mapped: null, context: { ...state.call.context, rationale: null } };
  const requestedInputs = state.asked_inputs_json === undefined ? {} : { asked_inputs_json: 'null' };
  return { ...state, ...requestedInputs, call, end: ended(state.end), doubt: ended(state.doubt), withheld };
}
