import { baseOf, endOf, headName, type Opening } from '@countersign/proofs';
import { inert, timeText } from './inert.js';

/** The frozen tree of an opening, and the decision: two lines. */
export function openingLines({ frozen, opened, decision }: Opening): string[] {
  const [base, end] = [baseOf(opened), endOf(frozen)];
  const lost = base < end ? `signed records ${base} to ${end - 1} are given up` : 'no signed record is given up';
  const { event_id, by, reason, accepted_at_ms } = decision;
  return [
    inert(
      `NOT CONTINUED: ${headName(frozen)} is frozen at ${frozen.size} records; ${headName(opened)} continues from offset ${base}: ${lost}`,
    ),
    inert(`  by decision ${event_id} (damage_accepted) of ${by} at ${timeText(accepted_at_ms)}: ${reason}`),
  ];
}
