import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeText } from './time-text.js';

test('a time has the text of toISOString, whatever the time before it', () => {
  // NaN is no time: the test below is about it.
  const near = fc.integer({ min: -2_000, max: 2_000 });
  const any = fc.oneof(
    near,
    fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
    fc.double({ min: -9e12, max: 9e12, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 20 }), (times) => {
      expect(times.map(timeText)).toEqual(times.map((ms) => new Date(ms).toISOString()));
    }),
  );
});

test('a number that is no time is refused, and does not spoil the next', () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_001]) expect(() => timeText(ms)).toThrow(RangeError);
  expect(timeText(1_000)).toBe('1970-01-01T00:00:01.000Z');
});
