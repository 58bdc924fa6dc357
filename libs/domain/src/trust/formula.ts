import { DAY_MS } from '../durations.js';

/** The signals of the formula, each from 0 to 1, with the number of runs and the time of the verification. */
export interface TrustSignals {
  /** Succeeded runs ÷ all runs. */
  reliability: number;
  /** Runs with an output that fits the schema ÷ all runs. */
  schema_compliance: number;
  /** Runs within the declared latency ÷ all runs; 0 if no latency is declared. */
  latency: number;
  /** 0 unaudited, .5 self-assessed, 1 audited by a third party. */
  security_audit: number;
  /** Mean of the stars ÷ 5. */
  rating: number;
  /** Mean of the scores of the provider's tools, without this term. */
  provider_reputation: number;
  /** Number of runs, for the volume. */
  runs: number;
  /** Time of the last verification, epoch ms. */
  verified_at_ms: number;
}

/** Sources: Advanced Tool Patterns, section 14.13.3. They add up to 1. */
export const weights = {
  reliability: 0.25,
  schema_compliance: 0.15,
  latency: 0.15,
  security_audit: 0.15,
  rating: 0.1,
  provider_reputation: 0.1,
  freshness: 0.05,
  usage_volume: 0.05,
} as const;

export type TrustTerm = keyof typeof weights;
export const trustTerms = Object.keys(weights) as TrustTerm[];

/** The rating of a tool without ratings. */
export const NO_RATING = 0.5;

const DECAY_PER_DAY = Math.LN2 / 90;
const FRESH_DAYS = 30;

/** Never negative: a clock behind that of the verification counts as no time. */
const daysSince = (then_ms: number, at_ms: number): number => Math.max(0, at_ms - then_ms) / DAY_MS;

/** 0 without runs, 1 from 9,999 runs. */
export const usageVolume = (runs: number): number => Math.min(1, Math.log10(1 + runs) / 4);

export const freshness = (verified_at_ms: number, at_ms: number): number => Math.exp(-daysSince(verified_at_ms, at_ms) / FRESH_DAYS);

/** Halves every 90 days without a verification. */
export const decay = (verified_at_ms: number, at_ms: number): number => Math.exp(-DECAY_PER_DAY * daysSince(verified_at_ms, at_ms));

export interface Scored {
  /** 0 to 1. */
  score: number;
  /** The score without the provider's reputation, for the mean of its provider. */
  without_provider: number;
  /** The value of each term before it is weighted. */
  terms: Record<TrustTerm, number>;
  decay: number;
}

/** The score of these signals at a time: the weighted sum of its terms, times the decay since the last verification. */
export function scoreOf(signals: TrustSignals, at_ms: number): Scored {
  const { verified_at_ms, runs, ...given } = signals;
  const terms = { ...given, freshness: freshness(verified_at_ms, at_ms), usage_volume: usageVolume(runs) };
  const faded = decay(verified_at_ms, at_ms);
  let sum = 0;
  for (const term of trustTerms) if (term !== 'provider_reputation') sum += weights[term] * terms[term];
  return {
    score: (sum + weights.provider_reputation * terms.provider_reputation) * faded,
    without_provider: sum * faded,
    terms,
    decay: faded,
  };
}
