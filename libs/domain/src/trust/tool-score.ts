import { type CountedRuns, countedRuns } from './counted-runs.js';
import { LOCAL_PROVIDER } from './facts.js';
import { NO_RATING, type Scored, scoreOf, type TrustSignals } from './formula.js';
import type { AuditLevel, ToolTrust, VersionTrust } from './state.js';

/** Why there is no score. Without a score the field is missing, so a condition that uses it never holds. */
export type Unscored = 'never_run' | 'never_verified';

/** The score of a version, with everything from which it was computed. */
export interface ToolScore extends CountedRuns {
  /** Uses the reliability confirmed by read-backs if the tool has one, else the reported one. Null: see `unscored`. */
  scored: Scored | null;
  /** The score with the reliability that the tool reports itself. */
  scored_as_reported: Scored | null;
  unscored: Unscored | null;
  signals: TrustSignals | null;
  /** Null: no runs. */
  reported_reliability: number | null;
  /** Null: the tool has no read-back, or no runs. */
  verified_reliability: number | null;
  verified_at_ms: number | null;
  provider: string;
  ratings: number;
}

/** The recorded audit, else the claim of the contract, which counts as a self-assessment at most. */
export function auditLevel({ audit, registered }: VersionTrust): AuditLevel {
  if (audit) return audit.level;
  return registered && registered.audit_status > 0 ? 0.5 : 0;
}

/** Time of the newest passed evaluation of the registered contract, or of an audit by a third party, epoch ms; null: none. */
function verifiedAt({ registered, evaluations, audit }: VersionTrust): number | null {
  if (!registered) return null;
  const times = [registered.evaluated_at_ms, evaluations.get(registered.digest), audit?.level === 1 ? audit.at_ms : undefined];
  const known = times.filter((time): time is number => typeof time === 'number');
  return known.length > 0 ? Math.max(...known) : null;
}

/** Mean of the stars ÷ 5. */
function ratingOf({ ratings }: ToolTrust): number {
  if (ratings.size === 0) return NO_RATING;
  let sum = 0;
  for (const { rating } of ratings.values()) sum += rating;
  return sum / ratings.size / 5;
}

/** The trust score of a version at a time. `provider_reputation`: see providerReputation. */
export function toolScore(state: ToolTrust, version: string, provider_reputation: number, at_ms: number): ToolScore {
  const part = state.versions.get(version);
  const runs = countedRuns(state, version);
  const { counted } = runs;
  const share = (of: number) => of / counted.runs;
  const ran = counted.runs > 0;
  const verified_at_ms = part ? verifiedAt(part) : null;
  const reported_reliability = ran ? share(counted.succeeded) : null;
  const verified_reliability = ran && part?.registered?.reads_back ? share(counted.verified) : null;
  const rest = { verified_at_ms, provider: part?.registered?.provider ?? LOCAL_PROVIDER, ratings: state.ratings.size };
  const known = { ...runs, reported_reliability, verified_reliability, ...rest };
  if (!part || reported_reliability === null || verified_at_ms === null)
    return { ...known, scored: null, scored_as_reported: null, signals: null, unscored: ran ? 'never_verified' : 'never_run' };
  const signals: TrustSignals = {
    reliability: verified_reliability ?? reported_reliability,
    schema_compliance: share(counted.valid),
    latency: part.registered?.declares_sla ? share(counted.timely) : 0,
    security_audit: auditLevel(part),
    rating: ratingOf(state),
    provider_reputation,
    runs: counted.runs,
    verified_at_ms,
  };
  const scored_as_reported = scoreOf({ ...signals, reliability: reported_reliability }, at_ms);
  return { ...known, scored: scoreOf(signals, at_ms), scored_as_reported, signals, unscored: null };
}

/** The version that represents a tool: the one with the latest first run, because it inherits the runs of the others. */
export function newestRun(state: ToolTrust): string | undefined {
  let newest: string | undefined;
  let since = Number.NEGATIVE_INFINITY;
  for (const [version, { first_run_ms }] of state.versions)
    if (first_run_ms !== null && (first_run_ms > since || (first_run_ms === since && version > (newest ?? '')))) {
      newest = version;
      since = first_run_ms;
    }
  return newest;
}

/**
 * The reputation of a provider: the mean of its tools' scores without this term, using the newest version of each tool that ran. Tools
 * without a score are excluded. Null: no tool has a score.
 */
export function providerReputation(tools: Iterable<ToolTrust>, provider: string, at_ms: number): number | null {
  let sum = 0;
  let count = 0;
  for (const tool of tools) {
    const version = newestRun(tool);
    if (version === undefined || (tool.versions.get(version)?.registered?.provider ?? LOCAL_PROVIDER) !== provider) continue;
    const { scored } = toolScore(tool, version, 0, at_ms);
    if (!scored) continue;
    sum += scored.without_provider;
    count++;
  }
  return count === 0 ? null : sum / count;
}
