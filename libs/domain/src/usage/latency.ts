/**
 * Durations in log-linear buckets: 32 per power of two, so that a bucket is at most 1/32 of its value wide. Buckets are integers and counts
 * add up, so histograms merge in any order and give the same quantiles. Durations beyond 2^40 µs (13 days) are in the last bucket.
 */
const SUB_BITS = 5;
const SUB = 1 << SUB_BITS;
const POWER_MAX = 40;

/** The bucket of a duration in microseconds, rounded to a whole number; negative values count as 0. */
export function latencyBucket(duration_us: number): number {
  const us = Math.max(0, Math.min(2 ** POWER_MAX, Math.round(duration_us)));
  if (us < SUB) return us;
  const power = Math.floor(Math.log2(us));
  // Math.log2 may round up to the next power of two.
  const exact = 2 ** power > us ? power - 1 : power;
  return (exact - SUB_BITS + 1) * SUB + Math.floor((us - 2 ** exact) / 2 ** (exact - SUB_BITS));
}

/** The middle of a bucket, microseconds. */
export function bucketMiddle(bucket: number): number {
  if (bucket < SUB) return bucket;
  const power = Math.floor(bucket / SUB) + SUB_BITS - 1;
  const width = 2 ** (power - SUB_BITS);
  return 2 ** power + (bucket % SUB) * width + (width - 1) / 2;
}

/** Counts by bucket. */
export type LatencyHistogram = ReadonlyMap<number, number>;

/** The duration, in microseconds, that a share `q` (0 to 1) of the calls does not exceed, within 1/64; null without calls. */
export function latencyQuantile(histogram: LatencyHistogram, q: number): number | null {
  const buckets = [...histogram].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(q * total));
  let seen = 0;
  for (const [bucket, count] of buckets) {
    seen += count;
    if (seen >= rank) return bucketMiddle(bucket);
  }
  return null;
}
