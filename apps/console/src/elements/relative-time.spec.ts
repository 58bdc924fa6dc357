import { expect, test } from 'vitest';
import { countdown, duration, relativeTime } from './relative-time.js';

const NOW = Date.parse('2026-11-27T09:00:00Z');

test.each([
  [0, 'just now'],
  [-4_999, 'just now'],
  [-5_000, '5 s ago'],
  [-59_999, '59 s ago'],
  [-60_000, '1 min ago'],
  [-3_600_000, '1 h ago'],
  [-86_400_000 * 29, '29 d ago'],
  [-86_400_000 * 30, '2026-10-28'],
  [90_000, 'in 1 min'],
  [86_400_000 * 3, 'in 3 d'],
])('%d ms from now is %s', (distance_ms, text) => {
  expect(relativeTime(NOW + distance_ms, NOW)).toBe(text);
});

test('a countdown shows two units, and never less than nothing', () => {
  expect([3_900_000, 249_000, 8_999, 500, -1].map(countdown)).toEqual(['1 h 05 min', '4 min 09 s', '8 s', '0 s', '0 s']);
});

test('a duration below a second is in milliseconds', () => {
  expect([0, 12.4, 999, 1_000, 61_000].map(duration)).toEqual(['0 ms', '12 ms', '999 ms', '1 s', '1 min']);
});
