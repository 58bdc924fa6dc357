import { type CallState, evolve } from '@countersign/domain';
import type { ReadEvent } from '../read-event.js';

/** A time in the record, and the order among events of that time. */
export interface Moment {
  at_ms: number;
  order: number;
}

/** Directly after an event of policy, and before its next one. */
export const after = ({ at_ms, order }: Moment): Moment => ({ at_ms, order: order + 0.5 });

export const laterOf = (a: Moment, b: Moment): Moment => (a.at_ms !== b.at_ms ? (a.at_ms > b.at_ms ? a : b) : a.order >= b.order ? a : b);

/** Later than every time in the record. */
const NEVER: Moment = { at_ms: Number.MAX_SAFE_INTEGER, order: 0 };

/** True if policy ignores the cancellation of a call in this state. */
function isSettled({ end, doubt, approval_end, ruling }: CallState): boolean {
  return end !== null || doubt !== null || (approval_end !== null && approval_end.kind !== 'granted') || ruling?.effect === 'deny';
}

/**
 * The earliest time at which the record of a call explains why a cancellation has no answer. A service handles a record some time after its
 * append, so the call may have ended in between.
 */
export function settledFrom(events: readonly ReadEvent[], momentOf: (event: ReadEvent) => Moment): Moment {
  let state: CallState | undefined;
  for (const event of events) {
    state = evolve(state, event);
    if (isSettled(state)) return after(momentOf(event));
  }
  return NEVER;
}
