import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeText } from './time-text.js';

test('the text of a time equals toISOString, whatever time was formatted before', () => {
  // NaN is not a time; the test below covers it.
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

test('a number that is not a time is refused and does not affect the next one', () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_001]) expect(() => timeText(ms)).toThrow(RangeError);
  expect(timeText(1_000)).toBe('1970-01-01T00:00:01.000Z');
});
