import { type CallState, evolve } from '@countersign/domain';
import type { ReadEvent } from '../read-event.js';

/** A moment of the record, and its place among others of that time. */
export interface Moment {
  at_ms: number;
  order: number;
}

/** Just after an event of policy, and before its next one. */
export const after = ({ at_ms, order }: Moment): Moment => ({ at_ms, order: order + 0.5 });

export const laterOf = (a: Moment, b: Moment): Moment => (a.at_ms !== b.at_ms ? (a.at_ms > b.at_ms ? a : b) : a.order >= b.order ? a : b);

/** Never, as far as the record goes. */
const NEVER: Moment = { at_ms: Number.MAX_SAFE_INTEGER, order: 0 };

/** Whether policy ignores the cancellation of a call in this state. */
function isSettled({ end, doubt, approval_end, ruling }: CallState): boolean {
  return end !== null || doubt !== null || (approval_end !== null && approval_end.kind !== 'granted') || ruling?.effect === 'deny';
}

/**
 * From when on the record of a call explains that a cancellation met with silence: it was handled no earlier. A service
 * handles a record some time after it was appended, and what the call waited for may have come in between.
 */
export function settledFrom(events: readonly ReadEvent[], momentOf: (event: ReadEvent) => Moment): Moment {
  let state: CallState | undefined;
  for (const event of events) {
    state = evolve(state, event);
    if (isSettled(state)) return after(momentOf(event));
  }
  return NEVER;
}
