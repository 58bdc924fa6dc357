import { type Counter, NO_COUNT, slotAt, usedAt } from './counter.js';
import type { Demand } from './state.js';

type Rate = Pick<Demand, 'counter' | 'amount_micro' | 'max_micro' | 'window_ms'>;

/** How many calls with these demands fit now, by the tightest counter; null: nothing limits them. */
export function callsLeft(demands: readonly Rate[], counters: ReadonlyMap<string, Counter>, at_ms: number): number | null {
  const left = demands.flatMap(({ counter, amount_micro, max_micro, window_ms }) => {
    if (amount_micro === 0) return [];
    const count = counters.get(counter) ?? NO_COUNT;
    const used_micro = usedAt(count, slotAt(count, at_ms, window_ms), window_ms);
    return [Math.max(0, Math.floor((max_micro - used_micro) / amount_micro))];
  });
  return left.length === 0 ? null : Math.min(...left);
}
