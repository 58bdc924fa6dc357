import { isSetUndo } from '../ruling-input.js';
import type { Condition } from './condition.js';

const why = {
  blocked: 'is blocked for this tenant',
  candidate: 'is not promoted yet: it can run when its evaluation has passed',
  suspended: 'is suspended: it differs from what its callers agreed to',
} as const;

/** A version that is neither active nor deprecated does not run in the tenant. A blocked version may still undo its effects. */
export const blockedVersion: Condition = {
  rule: 'lifecycle.blocked',
  binds_undo: true,
  judge: ({ lifecycle, contract, compensation }) =>
    lifecycle === 'active' || lifecycle === 'deprecated' || (lifecycle === 'blocked' && isSetUndo(compensation))
      ? undefined
      : {
          tier: 'tier_3_blocked',
          why: `version ${contract.version} of ${contract.name} ${why[typeof lifecycle === 'string' ? lifecycle : 'blocked'] ?? why.blocked}`,
        },
};
