/**
 * The usage counters. All are integers, so that sums do not depend on the order: money in millionths of a US dollar, time in microseconds.
 */
export const usageMeasures = [
  /** Answered calls: ended, denied, or in doubt. */
  'calls',
  /** Calls that a tool ran for: not refused before, and not answered from a cache or by an earlier call. */
  'executed',
  'succeeded',
  'failed',
  'denied',
  'expired',
  'cancelled',
  /** Calls answered as in doubt, and resolved doubts. */
  'in_doubt',
  'resolved',
  /** Calls answered by an earlier call with the same effect. */
  'deduplicated',
  'cached',
  /** Runs with retries within one call, and those of them that succeeded. */
  'retried',
  'retried_succeeded',
  /** Calls that repeated a failed call without an effect, and those of them that succeeded. */
  'asked_again',
  'asked_again_succeeded',
  /** Calls whose inputs or results the tenant's mapping could not map, and repeated calls through a mapping that succeeded. */
  'mapping_faults',
  'mapping_repaired',
  /** Calls denied for a scope, a clearance or a purpose. */
  'violations',
  /** Calls whose observed effect exceeds their approval mode. */
  'misclassified',
  /** Calls with patterns of injection in what they were answered with. */
  'flagged',
  'timed',
  'duration_us',
  'cost_micros',
] as const;

export type UsageMeasure = (typeof usageMeasures)[number];
export type UsageSums = Record<UsageMeasure, number>;

const NONE = Object.fromEntries(usageMeasures.map((measure) => [measure, 0])) as UsageSums;

export const noUsage = (): UsageSums => ({ ...NONE });

/** Adds `more` to `into`, in place; `sign` -1 subtracts it. */
export function addUsage(into: UsageSums, more: Readonly<UsageSums>, sign: 1 | -1 = 1): void {
  for (const measure of usageMeasures) into[measure] += sign * more[measure];
}
