import { expect, test } from 'vitest';
import { daysOf, periodBefore, periodOf, rangeOf } from './period.js';

const NOW_MS = Date.parse('2026-11-27T23:30:00Z');
const of = (period: string, from = '', to = '') => periodOf({ period, from, to }, NOW_MS);

test('a preset ends with today, in UTC', () => {
  expect(of('7d')).toEqual({ first: '2026-11-21', last: '2026-11-27', days: 7, name: 'last 7 days' });
  expect(of('12m')).toMatchObject({ first: '2025-11-28', days: 365 });
});

test('a link of another version, or no choice, is 30 days', () => {
  expect([of(''), of('constructor'), of('1y')]).toEqual([of('30d'), of('30d'), of('30d')]);
});

test('dates are inclusive, and the API gets the end of the last day', () => {
  const period = of('dates', '2026-10-01', '2026-10-31');
  expect(period).toMatchObject({ days: 31, name: '1 Oct 2026 to 31 Oct 2026' });
  if (typeof period === 'string') return;
  expect(rangeOf(period)).toEqual({ from: '2026-10-01T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z' });
  expect([daysOf(period)[0], daysOf(period).at(-1)]).toEqual(['2026-10-01', '2026-10-31']);
  expect(periodBefore(period)).toMatchObject({ first: '2026-08-31', last: '2026-09-30' });
});

test.each([
  ['', '', 'Choose the first and the last day.'],
  ['2026-02-30', '2026-03-01', 'Choose the first and the last day.'],
  ['2026-10-01T00:00', '2026-10-02', 'Choose the first and the last day.'],
  ['2026-10-02', '2026-10-01', 'The last day is before the first.'],
  ['2020-01-01', '2026-10-01', 'A report has at most 400 days; these are 2,466.'],
])('%s to %s is no period: %s', (from, to, why) => expect(of('dates', from, to)).toBe(why));
