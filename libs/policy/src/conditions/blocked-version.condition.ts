import type { Condition } from './condition.js';

const why = {
  blocked: 'is blocked for this tenant',
  candidate: 'is not promoted yet: it runs once its evaluation has passed',
  suspended: 'is suspended: it is not what its callers agreed to any more',
} as const;

/** A version that is neither active nor deprecated runs for nobody of the tenant. */
export const blockedVersion: Condition = {
  rule: 'lifecycle.blocked',
  judge: ({ lifecycle, contract }) =>
    lifecycle === 'active' || lifecycle === 'deprecated'
      ? undefined
      : {
          tier: 'tier_3_blocked',
          why: `version ${contract.version} of ${contract.name} ${why[typeof lifecycle === 'string' ? lifecycle : 'blocked'] ?? why.blocked}`,
        },
};
