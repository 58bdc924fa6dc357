import { expect, test } from 'vitest';
import { costLeft, deadlineOf, runBudget } from './run-budget.js';

const DEADLINE = '2026-01-01T00:00:10.000Z';
const NOW = Date.parse('2026-01-01T00:00:00.000Z');

test.each([
  ['neither', {}, null],
  ['a deadline alone', { deadline: DEADLINE }, NOW + 10_000],
  ["the run's time alone", { context: { run_budget: { time_ms: 500.5 } } }, NOW + 500],
  ['the earlier of both', { deadline: DEADLINE, context: { run_budget: { time_ms: 500 } } }, NOW + 500],
  ['the earlier of both, the other way round', { deadline: DEADLINE, context: { run_budget: { time_ms: 60_000 } } }, NOW + 10_000],
  ['a budget of money says nothing about time', { context: { run_budget: 5 } }, null],
])('%s', (_what, request, deadline_ms) => {
  expect(deadlineOf(request, NOW)).toBe(deadline_ms);
});

test('money left is a number, alone or beside time', () => {
  expect(
    [{}, { run_budget: 5 }, { run_budget: { time_ms: 1 } }, { run_budget: { cost: 2, time_ms: 1 } }].map((context) =>
      costLeft({ context }),
    ),
  ).toEqual([null, 5, null, 2]);
  expect(runBudget.safeParse({ time_ms: -1 }).success).toBe(false);
});
