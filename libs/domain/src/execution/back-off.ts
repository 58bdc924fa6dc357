const BASE_MS = 100;
const MAX_MS = 10_000;

/**
 * Decorrelated jitter: a pause between 100 ms and three times the previous one, at most 10 s, so that callers that failed together do not
 * retry together. Never shorter than the requested Retry-After.
 * @param last_ms pause before the failed attempt; 0: it was the first attempt.
 * @param random 0 ≤ random < 1.
 */
export function pauseMs(last_ms: number, random: number, retry_after_s: number | null): number {
  const upper_ms = Math.max(BASE_MS, last_ms) * 3;
  const jittered_ms = Math.min(MAX_MS, BASE_MS + random * (upper_ms - BASE_MS));
  return Math.max(jittered_ms, (retry_after_s ?? 0) * 1000);
}
