import type { Condition } from './condition.js';

/** A version that is neither active nor deprecated runs for nobody of the tenant. */
export const blockedVersion: Condition = {
  rule: 'lifecycle.blocked',
  judge: ({ lifecycle, contract }) =>
    lifecycle === 'active' || lifecycle === 'deprecated'
      ? undefined
      : { tier: 'tier_3_blocked', why: `version ${contract.version} of ${contract.name} is blocked for this tenant` },
};
