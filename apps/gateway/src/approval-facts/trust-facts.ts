import type { ReportedScores } from '@countersign/domain';
import type { TrustFacts } from './approval-facts.schemas.js';

/** A score as last published on trust-view, with the number of runs behind it. */
export type PublishedTrust = ReportedScores extends Map<string, infer T> ? T : never;

/** A published score in words; its terms are at `href`, which is read when somebody asks for them. */
export function trustOf(published: PublishedTrust | undefined, href: string): TrustFacts['tool'] {
  if (!published || published.score === null)
    return {
      score: null,
      band: 'unknown',
      runs: published?.runs ?? 0,
      text: 'No score: it never ran here, or nothing it did was verified',
      href,
    };
  const { score, band, runs } = published;
  return { score, band, runs, text: `${score.toFixed(2)} (${band}) after ${runs} ${runs === 1 ? 'run' : 'runs'}`, href };
}
