import { expect, test } from 'vitest';
import { LogTime } from './log-time.js';

const HOUR_MS = 3_600_000;

test('it is the difference of the least delayed record; a short transport time is not a difference', () => {
  const time = new LogTime();
  expect(time.ahead_ms).toBe(0);
  time.observe(10_000_000 - 300, 10_000_000);
  expect(time.ahead_ms).toBe(0);
  const skewed = new LogTime();
  skewed.observe(10_000_000 - HOUR_MS - 500, 10_000_000);
  skewed.observe(10_001_000 - HOUR_MS - 20, 10_001_000);
  skewed.observe(10_002_000 - HOUR_MS - 900, 10_002_000);
  expect(skewed.ahead_ms).toBe(-HOUR_MS - 20);
});

test('a record that is read late is ignored, and an old difference is dropped once there are newer ones', () => {
  const time = new LogTime();
  time.observe(0, 50 * HOUR_MS);
  expect(time.ahead_ms).toBe(0);
  time.observe(51 * HOUR_MS, 50 * HOUR_MS);
  expect(time.ahead_ms).toBe(HOUR_MS);
  for (let minute = 2; minute < 6; minute++) time.observe(50 * HOUR_MS + minute * 61_000, 50 * HOUR_MS + minute * 61_000);
  expect(time.ahead_ms).toBe(0);
});
