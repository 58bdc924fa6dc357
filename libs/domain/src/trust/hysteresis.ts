/** The score of a subject as last published on trust-view. */
export interface ReportedTrust {
  /** Null: no score. */
  score: number | null;
  reported: number | null;
  band: TrustBand;
  at_ms: number;
}

export type TrustBand = 'unknown' | 'low' | 'medium' | 'high';

/** Lower edges of the bands `medium` and `high`. */
const bandEdges = { medium: 0.4, high: 0.7 } as const;
/**
 * A score that changed by less than this since its publication is not published again. A band changes only if the score is this far beyond
 * the edge.
 */
const TRUST_STEP = 0.02;
/** A drop by this much is published at once. */
const TRUST_FALL = 0.1;
/** Any other change of a subject is published at most this often. */
export const REPORT_EVERY_MS = 2_000;

function plainBand(score: number, edges: { medium: number; high: number } = bandEdges): TrustBand {
  if (score >= edges.high) return 'high';
  return score >= edges.medium ? 'medium' : 'low';
}

/** The band of a score, given its earlier band: it changes only if the score is a step beyond the edge. */
export function bandOf(score: number | null, before: TrustBand = 'unknown'): TrustBand {
  if (score === null) return 'unknown';
  if (before === 'unknown') return plainBand(score);
  const { medium, high } = bandEdges;
  const order: readonly TrustBand[] = ['low', 'medium', 'high'];
  const up = plainBand(score, { medium: medium + TRUST_STEP, high: high + TRUST_STEP });
  const down = plainBand(score, { medium: medium - TRUST_STEP, high: high - TRUST_STEP });
  if (order.indexOf(up) > order.indexOf(before)) return up;
  return order.indexOf(down) < order.indexOf(before) ? down : before;
}

/** The score of a subject that must be published now; undefined: none. Pure. */
export function toTell(
  last: ReportedTrust | undefined,
  now: { score: number | null; reported: number | null },
  at_ms: number,
): ReportedTrust | undefined {
  const band = bandOf(now.score, last?.band);
  const next = { ...now, band, at_ms };
  if (!last) return now.score === null && now.reported === null ? undefined : next;
  const appeared = (last.score === null) !== (now.score === null) || (last.reported === null) !== (now.reported === null);
  const moved = Math.max(distance(last.score, now.score), distance(last.reported, now.reported));
  if (!appeared && moved < TRUST_STEP) return undefined;
  const fell = now.score === null || (last.score !== null && last.score - now.score >= TRUST_FALL);
  return fell || at_ms - last.at_ms >= REPORT_EVERY_MS ? next : undefined;
}

const distance = (a: number | null, b: number | null): number => (a === null || b === null ? 0 : Math.abs(a - b));
