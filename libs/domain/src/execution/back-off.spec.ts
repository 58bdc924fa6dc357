import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pauseMs } from './back-off.js';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a pause is between 100 ms and three times the previous one, at most 10 s', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 60_000, noNaN: true }), random, (last, at) => {
      const pause = pauseMs(last, at, null);
      expect(pause).toBeGreaterThanOrEqual(100);
      expect(pause).toBeLessThanOrEqual(Math.min(10_000, Math.max(100, last) * 3));
    }),
  );
});

test('a pause is never shorter than the requested Retry-After', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 10_000, noNaN: true }), random, fc.integer({ min: 0, max: 4000 }), (last, at, seconds) => {
      expect(pauseMs(last, at, seconds)).toBeGreaterThanOrEqual(seconds * 1000);
    }),
  );
});
