import type { UsageSums } from './measures.js';

const share = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);

/** Kinds of security events for requests without the right; missing scopes and the like are denials of calls. */
export const violationKinds = ['role_refused', 'request_refused', 'cross_tenant', 'resolution_refused'] as const;

/** The evaluation metrics of what was counted; null where there is nothing to divide by. */
export interface UsageRates {
  /** Succeeded among what was executed and has an end or is still in doubt. */
  success_rate: number | null;
  /** Calls per answered calls. */
  dedup_rate: number | null;
  in_doubt_rate: number | null;
  permission_violation_rate: number | null;
  /** Calls whose effective approval mode is not the one that the effect or a person showed, per executed calls. */
  misclassification_rate: number | null;
  /** What went wrong and was put right again (doubts that were resolved, retries and repeats that succeeded) per what went wrong. */
  repair_rate: number | null;
  mean_ms: number | null;
  cost_usd: number;
  cost_per_call_usd: number | null;
}

/** `refused`: requests that were refused before anything became a call. */
export function usageRates(sums: Readonly<UsageSums>, refused = 0): UsageRates {
  const open = Math.max(0, sums.in_doubt - sums.resolved);
  const wrong = sums.in_doubt + sums.retried + sums.asked_again;
  const cost_usd = sums.cost_micros / 1e6;
  return {
    success_rate: share(sums.succeeded, sums.succeeded + sums.failed + open),
    dedup_rate: share(sums.deduplicated, sums.calls),
    in_doubt_rate: share(sums.in_doubt, sums.executed),
    permission_violation_rate: share(sums.violations + refused, sums.calls + refused),
    misclassification_rate: share(sums.misclassified, sums.executed),
    repair_rate: share(Math.min(wrong, sums.resolved + sums.retried_succeeded + sums.asked_again_succeeded), wrong),
    mean_ms: sums.timed > 0 ? sums.duration_us / sums.timed / 1000 : null,
    cost_usd,
    cost_per_call_usd: share(cost_usd, sums.executed),
  };
}
