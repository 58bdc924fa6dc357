import type { Tone } from '../elements/status.js';

/** How much of a limit is used. */
export interface Gauge {
  /** Of the bar, 0 to 1. */
  share: number;
  tone: Tone;
  /** `80 of 100`. */
  text: string;
  /** `80 %`; `full`, `over` from there on. */
  word: string;
}

/** From here on a limit is nearly used up. */
const NEAR = 0.8;

/** The gauge of a counter; undefined without a maximum: there is nothing to measure against. */
export function gaugeOf({ used, max }: { used: number; max: number | null }): Gauge | undefined {
  if (max === null || !Number.isFinite(max) || max < 0) return undefined;
  const counted = Number.isFinite(used) ? Math.max(0, used) : 0;
  const ratio = max === 0 ? 1 : counted / max;
  const text = `${amount(counted)} of ${amount(max)}`;
  if (counted > max) return { share: 1, tone: 'bad', text, word: 'over' };
  if (ratio >= 1) return { share: 1, tone: 'bad', text, word: 'full' };
  return { share: ratio, tone: ratio >= NEAR ? 'warn' : 'good', text, word: `${Math.floor(ratio * 100)} %` };
}

/** Counters by how much of the limit is used, the fullest first. */
export function byUse<T extends { used: number; max: number | null; subject: string; per: string }>(counters: readonly T[]): T[] {
  const share = (counter: T) => (counter.max === null ? 0 : counter.max === 0 ? 1 : counter.used / counter.max);
  return [...counters].sort((a, b) => share(b) - share(a) || b.used - a.used || (a.subject + a.per < b.subject + b.per ? -1 : 1));
}

/** A number with at most three decimals. */
export const amount = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 3 });
