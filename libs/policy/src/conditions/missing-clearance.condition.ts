import { lacking, union } from '@countersign/contracts';
import type { Condition } from './condition.js';

/** Markings of the tool or of the sources of its inputs require a clearance. */
export const missingClearance: Condition = {
  rule: 'authority.clearances',
  judge: ({ contract, authority }) => {
    if (contract.markings.length === 0 && !authority?.markings.length) return undefined;
    const missing = lacking(union(contract.markings, authority?.markings ?? []), authority?.clearances ?? []);
    return missing.length === 0 ? undefined : { tier: 'tier_3_blocked', why: `the caller is not cleared for ${missing.join(', ')}` };
  },
};
