import { expect, test } from 'vitest';
import { stacked } from '../charts/plot-spec.js';
import { bucketsOf } from './buckets.js';
import { callsSpec, costSpec, timeSpec } from './chart-specs.js';
import type { Period } from './period.js';
import { callsSummary, costSummary, highest, timeSummary } from './summaries.js';
import type { UsageLine } from './usage-line.js';

const NONE = { calls: 0, executed: 0, succeeded: 0, failed: 0, in_doubt: 0, denied: 0, expired: 0, cancelled: 0, deduplicated: 0 };
const line = (more: Partial<UsageLine>) =>
  ({ ...NONE, cost_usd: 0, cost_per_call_usd: null, success_rate: null, mean_ms: null, p50_ms: null, p99_ms: null, ...more }) as UsageLine;

const period: Period = { first: '2026-11-01', last: '2026-11-02', days: 2, name: 'last 2 days' };
const buckets = bucketsOf(period);
const names = buckets.map(({ name }) => name);
const days = [
  line({ day: '2026-11-01', calls: 3, executed: 2, succeeded: 2, denied: 1, cost_usd: 0.3, p50_ms: 4, p99_ms: 9, mean_ms: 5 }),
  line({ day: '2026-11-02', calls: 5, executed: 5, succeeded: 4, failed: 1, cost_usd: 0.1, p50_ms: 6, p99_ms: 8, mean_ms: 6 }),
];

test('calls are shown by how they were answered, without the ways that nothing took', () => {
  const { series } = callsSpec(buckets, 1, days);
  expect(series.map(({ label, values }) => [label, values])).toEqual([
    ['Succeeded', [2, 4]],
    ['Failed', [0, 1]],
    ['Denied', [1, 0]],
  ]);
  expect(stacked(series)).toEqual([
    [2, 4],
    [2, 5],
    [3, 5],
  ]);
});

test('by name, what the names do not have is of all others; crumbs of floating point are nothing', () => {
  const own = [{ name: 'a', lines: [line({ day: '2026-11-01', calls: 1, cost_usd: 0.1 })] }];
  expect(callsSpec(buckets, 1, days, own).series.map(({ values }) => values)).toEqual([
    [1, 0],
    [2, 5],
  ]);
  const all = [0.1, 0.2].map((cost_usd, at) => ({ name: `${at}`, lines: [line({ day: '2026-11-01', cost_usd })] }));
  const others = [...all, { name: 'b', lines: [line({ day: '2026-11-02', cost_usd: 0.1 })] }];
  expect(costSpec(buckets, 1, days, others).series.map(({ label }) => label)).toEqual(['0', '1', 'b']);
});

test('time has quantiles where the report has them, else the mean', () => {
  expect(timeSpec(buckets, 1, days).series.map(({ values }) => values)).toEqual([
    [4, 6],
    [9, 8],
  ]);
  const of_agent = days.map((day) => ({ ...day, p50_ms: null, p99_ms: null }));
  expect(timeSpec(buckets, 1, of_agent).series.map(({ label, values }) => [label, values])).toEqual([['Mean', [5, 6]]]);
});

test('a chart says in words what it shows', () => {
  const total = line({ calls: 8, success_rate: 6 / 7, cost_usd: 0.4, cost_per_call_usd: 0.4 / 7, p50_ms: 5, p99_ms: 9, mean_ms: 5.5 });
  expect(callsSummary(total, period, highest(callsSpec(buckets, 1, days), names))).toBe(
    '8 calls answered in the last 2 days, most on 2 Nov 2026 (5). 85.7% of those that ran succeeded.',
  );
  expect(costSummary(total, period, highest(costSpec(buckets, 1, days), names))).toBe(
    '$0.40 spent in the last 2 days, most on 1 Nov 2026 ($0.30). $0.057 a run.',
  );
  expect(timeSummary(total, period)).toBe('Half of the runs took at most 5 ms, 99 of 100 at most 9 ms.');
  expect(callsSummary(line({}), period, undefined)).toBe('No call was answered in the last 2 days.');
  expect(costSummary(line({}), period, undefined)).toBe('Nothing was spent in the last 2 days.');
  expect(timeSummary(line({}), period)).toBe('No tool ran in the last 2 days.');
});
