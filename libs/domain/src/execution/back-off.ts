const BASE_MS = 100;
const MAX_MS = 10_000;

/**
 * Decorrelated jitter: somewhere between the base and three times the pause before, at most 10 s, so that callers that
 * failed together do not come back together. The requested delay (Retry-After) is never undercut.
 * @param last_ms pause before the attempt that failed; 0: it was the first.
 * @param random 0 ≤ random < 1.
 */
export function pauseMs(last_ms: number, random: number, retry_after_s: number | null): number {
  const upper_ms = Math.max(BASE_MS, last_ms) * 3;
  const jittered_ms = Math.min(MAX_MS, BASE_MS + random * (upper_ms - BASE_MS));
  return Math.max(jittered_ms, (retry_after_s ?? 0) * 1000);
}
