import { expect, test } from 'vitest';
import { bucketsOf, meansIn, restOf, sumsIn } from './buckets.js';
import type { Period } from './period.js';
import type { UsageLine } from './usage-line.js';

const period = (first: string, last: string, days: number): Period => ({ first, last, days, name: '' });
const line = (day: string, calls: number, executed = calls, mean_ms: number | null = null) =>
  ({ day, calls, executed, mean_ms }) as unknown as UsageLine;

test('a day without calls is a bucket with zero and without a mean', () => {
  const buckets = bucketsOf(period('2026-11-01', '2026-11-03', 3));
  const lines = [line('2026-11-01', 4, 4, 10), line('2026-11-03', 2, 0)];
  expect(sumsIn(buckets, lines, ({ calls }) => calls)).toEqual([4, 0, 2]);
  expect(meansIn(buckets, lines, ({ mean_ms }) => mean_ms)).toEqual([10, null, null]);
  expect(buckets[1]?.name).toBe('2 Nov 2026');
});

test('a long period is shown by weeks from Monday on; the first and the last may be short', () => {
  const buckets = bucketsOf(period('2026-01-01', '2026-04-30', 120));
  expect([buckets.length, buckets[0]?.days.length, buckets[1]?.days.length]).toEqual([18, 4, 7]);
  expect(buckets[0]?.name).toBe('week of 29 Dec 2025');
  const lines = [line('2026-01-05', 1, 1, 100), line('2026-01-11', 9, 3, 200)];
  expect(sumsIn(buckets, lines, ({ calls }) => calls).slice(0, 3)).toEqual([0, 10, 0]);
  expect(meansIn(buckets, lines, ({ mean_ms }) => mean_ms)[1]).toBe(175);
});

test('the others are never less than nothing, even if a part was read later than the sum', () => {
  expect(restOf([5, 1, 3], [[2, 2, 0], [1]])).toEqual([2, 0, 3]);
});
