import { RUNS_OF_ONE_MAX } from './counted-runs.js';
import { NO_RATING, type Scored, scoreOf, type TrustSignals } from './formula.js';
import { type AgentTrust, NO_RUNS, plus, type RunCounts } from './state.js';
import type { Unscored } from './tool-score.js';

/** The facts about a tool version that the score of an agent uses. */
export interface RanVersion {
  reads_back: boolean;
  declares_sla: boolean;
  security_audit: 0 | 0.5 | 1;
  /** Reputation of its provider; null: no tool of the provider has a score. */
  provider_reputation: number | null;
}

export interface AgentScore {
  scored: Scored | null;
  unscored: Unscored | null;
  signals: TrustSignals | null;
  /** Counted runs: at most `RUNS_OF_ONE_MAX` per tool version. */
  counted: RunCounts;
  reported_reliability: number | null;
  /** Null: none of its tools has a read-back. */
  verified_reliability: number | null;
  confirmed_at_ms: number | null;
}

const NOTHING: RanVersion = { reads_back: false, declares_sla: false, security_audit: 0, provider_reputation: null };

/**
 * The trust score of an agent, by the same formula. Reliability, latency and volume are those of its runs. Schema compliance is the share
 * of runs that were not refused for their inputs. Audit and provider are those of its tools, weighted by runs. The rating is the share of
 * its approval requests that people granted. It is verified when a read-back or a person confirmed one of its effects. A tool version
 * counts for at most `RUNS_OF_ONE_MAX` runs.
 */
export function agentScore(state: AgentTrust, versionOf: (tool: string) => RanVersion | undefined, at_ms: number): AgentScore {
  let counted: RunCounts = { ...NO_RUNS };
  const sums = { believed: 0, read_back: 0, verified: 0, timely: 0, audit: 0, provider: 0 };
  for (const [tool, runs] of state.runs) {
    const { reads_back, declares_sla, security_audit, provider_reputation } = versionOf(tool) ?? NOTHING;
    const weight = Math.min(1, RUNS_OF_ONE_MAX / runs.runs);
    counted = plus(counted, runs, weight);
    sums.believed += weight * (reads_back ? runs.verified : runs.succeeded);
    if (reads_back) sums.read_back += weight * runs.runs;
    if (reads_back) sums.verified += weight * runs.verified;
    if (declares_sla) sums.timely += weight * runs.timely;
    sums.audit += weight * runs.runs * security_audit;
    sums.provider += weight * runs.runs * (provider_reputation ?? 0);
  }
  const share = (of: number) => of / counted.runs;
  const ran = counted.runs > 0;
  const { confirmed_at_ms, asked, granted } = state;
  const reported_reliability = ran ? share(counted.succeeded) : null;
  const verified_reliability = sums.read_back > 0 ? sums.verified / sums.read_back : null;
  const known = { counted, reported_reliability, verified_reliability, confirmed_at_ms };
  if (!ran || confirmed_at_ms === null) return { ...known, scored: null, signals: null, unscored: ran ? 'never_verified' : 'never_run' };
  const signals: TrustSignals = {
    reliability: share(sums.believed),
    schema_compliance: share(counted.sound),
    latency: share(sums.timely),
    security_audit: share(sums.audit),
    rating: asked === 0 ? NO_RATING : granted / asked,
    provider_reputation: share(sums.provider),
    runs: counted.runs,
    verified_at_ms: confirmed_at_ms,
  };
  return { ...known, scored: scoreOf(signals, at_ms), signals, unscored: null };
}
