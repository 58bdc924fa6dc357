import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketMiddle, latencyBucket, latencyQuantile } from './latency.js';

const durations = fc.array(fc.integer({ min: 0, max: 50_000_000 }), { minLength: 1, maxLength: 300 });

function histogramOf(all: readonly number[]): Map<number, number> {
  const histogram = new Map<number, number>();
  for (const us of all) histogram.set(latencyBucket(us), (histogram.get(latencyBucket(us)) ?? 0) + 1);
  return histogram;
}

describe('latencies in log-linear buckets', () => {
  test('a bucket deviates at most 1/64 from its values, and buckets ascend with durations', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), fc.integer({ min: 0, max: 2 ** 40 }), (a, b) => {
        expect(Math.abs(bucketMiddle(latencyBucket(a)) - a)).toBeLessThanOrEqual(a / 64 + 0.5);
        if (a <= b) expect(latencyBucket(a)).toBeLessThanOrEqual(latencyBucket(b));
      }),
      { numRuns: 2_000 },
    );
  });

  test('the buckets around every power of two are distinct', () => {
    for (let power = 5; power < 40; power++) expect(latencyBucket(2 ** power) - latencyBucket(2 ** power - 1)).toBe(1);
  });

  test('invalid durations are in the first or the last bucket', () => {
    expect([latencyBucket(-5), latencyBucket(0.4), latencyBucket(1e300)]).toEqual([0, 0, latencyBucket(2 ** 40)]);
  });

  test('merged histograms equal the histogram of all values, in any order, and quantiles match those of the sorted durations', () => {
    fc.assert(
      fc.property(durations, fc.nat(300), fc.constantFrom(0.5, 0.9, 0.99, 1), (all, cut, q) => {
        const merged = histogramOf(all.slice(cut));
        for (const [bucket, count] of histogramOf(all.slice(0, cut))) merged.set(bucket, (merged.get(bucket) ?? 0) + count);
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(q * all.length)) - 1] as number;
        const found = latencyQuantile(merged, q) as number;
        expect(found).toBe(latencyQuantile(histogramOf([...all].reverse()), q));
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact / 64 + 0.5);
      }),
    );
  });

  test('an empty histogram has no quantile', () => {
    expect(latencyQuantile(new Map(), 0.5)).toBeNull();
  });
});
