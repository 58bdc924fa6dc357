import { expect, test } from 'vitest';
import { timeLeftText, urgencyOf } from './time-left.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [DAY, 3 * HOUR, 'calm'],
  [DAY, HOUR, 'soon'],
  [DAY, 10 * MINUTE, 'urgent'],
  [DAY, 1, 'urgent'],
  [DAY, 0, 'over'],
  [DAY, -5, 'over'],
] as const)('of %i ms in all, %i ms left are %s', (whole_ms, left_ms, urgency) => {
  expect(urgencyOf(whole_ms, 0, whole_ms - left_ms)).toBe(urgency);
});

test('a request that has little time from the start is urgent in its last quarter only', () => {
  const whole_ms = 8 * MINUTE;
  expect(urgencyOf(whole_ms, 0, 0)).toBe('calm');
  expect(urgencyOf(whole_ms, 0, 5 * MINUTE)).toBe('soon');
  expect(urgencyOf(whole_ms, 0, 6 * MINUTE)).toBe('urgent');
});

test.each([
  [3 * DAY, '3 d'],
  [23 * HOUR + 59 * MINUTE, '23 h 59 min'],
  [9 * MINUTE + 5_000, '9 min 05 s'],
  [4_000, '4 s'],
  [0, 'overdue'],
  [Number.NaN, 'unknown'],
])('%d ms left read %s', (left_ms, text) => {
  expect(timeLeftText(left_ms, 0)).toBe(text);
});
