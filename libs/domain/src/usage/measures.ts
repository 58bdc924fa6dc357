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
  /** Calls that repeated a failed one without an effect, and those of them that succeeded. */
  'asked_again',
  'asked_again_succeeded',
  /** Inputs or results that the tenant's mapping could not map, and calls through a mapping that succeeded when repeated. */
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

const NONE = Object.fromEntries(usageMeasures.map((measure) => [measure, 0])) as UsageSums;

export const noUsage = (): UsageSums => ({ ...NONE });

/** Adds `more` to `into`, in place; `sign` -1 subtracts it. */
export function addUsage(into: UsageSums, more: Readonly<UsageSums>, sign: 1 | -1 = 1): void {
  for (const measure of usageMeasures) into[measure] += sign * more[measure];
}
