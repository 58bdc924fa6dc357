import type { CallState } from './state.js';

/** The facts of a call, each from one record: the parts of its state that have a time and an event. */
export const recordedFacts = [
  'requested',
  'ruling',
  'approval',
  'approval_end',
  'started',
  'doubt',
  'end',
  'compensation',
  'late_effect',
] as const satisfies readonly (keyof CallState)[];

/** The newest fact of a call, by its hybrid logical clock (hlc). */
export function newestFact(state: CallState): { hlc: number; event_id: string | null } {
  let newest: { hlc: number; event_id: string | null } = { hlc: 0, event_id: null };
  for (const name of recordedFacts) {
    const fact = state[name];
    if (fact && fact.hlc > newest.hlc) newest = fact;
  }
  return newest;
}

/** When the newest fact of a call was recorded, epoch ms. */
export const newestFactMs = (state: CallState): number => Math.floor(newestFact(state).hlc / 1_000);
