import type { ReportedTrust, Scored, Unscored } from '@countersign/domain';
import { bandOf, trustTerms, weights } from '@countersign/domain';
import type { TrustFacts } from './approval-facts.schemas.js';

type Subject = TrustFacts['tool'];

const WHY_NONE: Readonly<Record<Unscored, string>> = {
  never_run: 'No score: it has never run in this tenant',
  never_verified: 'No score: none of its effects was ever verified',
};

/** Terms that lower a score the most are named in its reason. */
const NAMED = 2;

/** A score with the terms that add up to it, and the ones that lower it the most in words. */
export function trustOf(scored: Scored | null, unscored: Unscored | null, published: ReportedTrust | undefined): Subject {
  if (!scored) return { score: null, band: 'unknown', text: WHY_NONE[unscored ?? 'never_run'], terms: null };
  const terms = trustTerms.map((signal) => ({
    signal,
    weight: weights[signal],
    value: scored.terms[signal],
    points: weights[signal] * scored.terms[signal],
  }));
  const lost = terms.toSorted((a, b) => b.weight - b.points - (a.weight - a.points)).slice(0, NAMED);
  const low = lost.map(({ signal, value }) => `${signal.replaceAll('_', ' ')} ${value.toFixed(2)}`).join(', ');
  const faded = scored.decay < 0.9 ? `; faded to ${Math.round(scored.decay * 100)} % since it was last verified` : '';
  return {
    score: scored.score,
    band: published?.band ?? bandOf(scored.score),
    text: `${scored.score.toFixed(2)}, lowered most by ${low}${faded}`,
    terms,
  };
}
