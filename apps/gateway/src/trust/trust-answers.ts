import { bandOf, type ReportedTrust, type Scored, type ToolScore, trustTerms, type VersionTrust, weights } from '@countersign/domain';
import type { TrustSpan } from '@countersign/store';

export const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** All numbers that add up to a score. */
export function scoredAnswer(scored: Scored | null): Record<string, unknown> {
  if (!scored) return { score: null, terms: null, decay: null };
  const terms = trustTerms.map((signal) => ({
    signal,
    weight: weights[signal],
    value: scored.terms[signal],
    points: weights[signal] * scored.terms[signal],
  }));
  return { score: scored.score, terms, decay: scored.decay };
}

/** The published score: it changes only beyond its hysteresis. */
export function publishedAnswer(published: ReportedTrust | undefined): Record<string, unknown> | null {
  return published ? { score: published.score, band: published.band, at: time(published.at_ms) } : null;
}

export function toolScoreAnswer(score: ToolScore, part: VersionTrust | undefined): Record<string, unknown> {
  const { reported_reliability, verified_reliability, verified_at_ms, counted, inherited, unscored, scored, provider, ratings } = score;
  const all = [...(part?.runs.values() ?? [])];
  return {
    provider,
    ...scoredAnswer(scored),
    score_reported: score.scored_as_reported?.score ?? null,
    band: bandOf(scored?.score ?? null),
    unscored,
    reliability: { reported: reported_reliability, verified: verified_reliability },
    runs: {
      counted: counted.runs,
      succeeded: counted.succeeded,
      verified: counted.verified,
      own: all.reduce((sum, { runs }) => sum + runs, 0),
      callers: all.length,
      inherited: Object.fromEntries(inherited),
    },
    ratings,
    last_verified_at: time(verified_at_ms),
    last_verified: time(verified_at_ms),
  };
}

/** Number of events behind the score, with the first and last offset in each partition. */
export function eventsAnswer(spans: readonly TrustSpan[], href: string): Record<string, unknown> {
  const place = (topic: string, partition: number, offset: number) => `${topic}:${partition}:${offset}`;
  return {
    count: spans.reduce((sum, { events }) => sum + events, 0),
    partitions: spans.map(({ topic, partition, events, first_offset, last_offset }) => ({
      events,
      first: place(topic, partition, first_offset),
      last: place(topic, partition, last_offset),
    })),
    href,
  };
}
