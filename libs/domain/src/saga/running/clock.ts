import type { RunningSaga } from './state.js';

/** Pauses the deadline clock from the first reason until the last one ends. */
export function holdClock({ clock }: RunningSaga, why: string, at_ms: number): void {
  if (clock.holders.size === 0) clock.since_ms = at_ms;
  clock.holders.add(why);
}

export function releaseClock({ clock }: RunningSaga, why: string, at_ms: number): void {
  if (clock.holders.delete(why) && clock.holders.size === 0) clock.stood_ms += Math.max(0, at_ms - clock.since_ms);
}
