import type { UsageSums } from './measures.js';

const share = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);

/** Kinds of security events for requests without permission. Missing scopes and the like are denials of calls instead. */
export const violationKinds = ['role_refused', 'request_refused', 'cross_tenant', 'resolution_refused'] as const;

/** The evaluation metrics of usage sums; null if the denominator is 0. */
export interface UsageRates {
  /** Succeeded calls ÷ calls that succeeded, failed or are still in doubt. */
  success_rate: number | null;
  /** Deduplicated calls ÷ answered calls. */
  dedup_rate: number | null;
  in_doubt_rate: number | null;
  permission_violation_rate: number | null;
  /** Calls whose observed effect exceeds their approval mode ÷ executed calls. */
  misclassification_rate: number | null;
  /** Repaired failures (resolved doubts, successful retries and repeats) ÷ all failures. */
  repair_rate: number | null;
  mean_ms: number | null;
  cost_usd: number;
  cost_per_call_usd: number | null;
}

/** `refused`: requests that were refused before they became a call. */
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
