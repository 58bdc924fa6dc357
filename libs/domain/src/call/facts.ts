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

/** A fact of a call; `name` null: there is none. */
export interface NewestFact {
  name: (typeof recordedFacts)[number] | null;
  hlc: number;
  event_id: string | null;
}

/** The newest fact of a call, by its hybrid logical clock (hlc). */
export function newestFact(state: CallState): NewestFact {
  const newest: NewestFact = { name: null, hlc: 0, event_id: null };
  for (const name of recordedFacts) {
    const fact = state[name];
    if (!fact || fact.hlc <= newest.hlc) continue;
    newest.name = name;
    newest.hlc = fact.hlc;
    newest.event_id = fact.event_id;
  }
  return newest;
}

/** When the newest fact of a call was recorded, epoch ms. */
export const newestFactMs = (state: CallState): number => Math.floor(newestFact(state).hlc / 1_000);
