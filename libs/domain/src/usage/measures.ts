/**
 * What is counted of calls. All are whole numbers, so that sums come out the same in whatever order they are made:
 * money in millionths of a US dollar, time in microseconds.
 */
export const usageMeasures = [
  /** Calls that were answered: ended, denied, or in doubt. */
  'calls',
  /** Those that a tool ran for: neither refused before, nor answered from a cache or by an earlier call. */
  'executed',
  'succeeded',
  'failed',
  'denied',
  'expired',
  'cancelled',
  /** Answered as in doubt, and what ended a doubt. */
  'in_doubt',
  'resolved',
  /** Answered by the call that had the same effect. */
  'deduplicated',
  'cached',
  /** Runs that were tried again inside one call, and those of them that succeeded. */
  'retried',
  'retried_succeeded',
  /** Calls that asked again for what had failed without an effect, and those of them that succeeded. */
  'asked_again',
  'asked_again_succeeded',
  /** Inputs or results that the tenant's mapping could not map, and calls through a mapping that succeeded when asked again. */
  'mapping_faults',
  'mapping_repaired',
  /** Denied for a scope, a clearance or a purpose. */
  'violations',
  /** What was observed is more than the approval mode says. */
  'misclassified',
  'timed',
  'duration_us',
  'cost_micros',
] as const;

export type UsageMeasure = (typeof usageMeasures)[number];
export type UsageSums = Record<UsageMeasure, number>;

export function noUsage(): UsageSums {
  return {
    calls: 0,
    executed: 0,
    succeeded: 0,
    failed: 0,
    denied: 0,
    expired: 0,
    cancelled: 0,
    in_doubt: 0,
    resolved: 0,
    deduplicated: 0,
    cached: 0,
    retried: 0,
    retried_succeeded: 0,
    asked_again: 0,
    asked_again_succeeded: 0,
    mapping_faults: 0,
    mapping_repaired: 0,
    violations: 0,
    misclassified: 0,
    timed: 0,
    duration_us: 0,
    cost_micros: 0,
  };
}

/** Adds `more` to `into`, in place; `sign` -1 takes it away. */
export function addUsage(into: UsageSums, more: Readonly<UsageSums>, sign: 1 | -1 = 1): void {
  for (const measure of usageMeasures) into[measure] += sign * more[measure];
}

export function isNothing(sums: Readonly<UsageSums>): boolean {
  return usageMeasures.every((measure) => sums[measure] === 0);
}
