const DAY_MS = 86_400_000;
const LONGEST_MS = 90 * DAY_MS;
const SHORTEST_MS = 60_000;
/** Each moment is one request. */
const MOMENTS = 12;

/** Moments at equal distances from the registration, or 90 days ago, until now. */
export function historyMoments(since_ms: number, now_ms: number): string[] {
  const begin_ms = Number.isNaN(since_ms) ? now_ms - LONGEST_MS : Math.max(since_ms, now_ms - LONGEST_MS);
  const span_ms = Math.max(now_ms - begin_ms, SHORTEST_MS);
  return Array.from({ length: MOMENTS }, (_, at) => new Date(now_ms - span_ms + ((at + 1) * span_ms) / MOMENTS).toISOString());
}
