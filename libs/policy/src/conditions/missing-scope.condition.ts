import { lacking } from '@countersign/contracts';
import type { Condition } from './condition.js';

/** A tool runs only for principals with every scope that it declares; for an agent that acts for a user, both need them. */
export const missingScope: Condition = {
  rule: 'authority.scopes',
  judge: ({ contract, authority }) => {
    const missing = lacking(contract.scopes, authority?.scopes ?? null);
    return missing.length === 0 ? undefined : { tier: 'tier_3_blocked', why: `the caller lacks the scopes ${missing.join(', ')}` };
  },
};
