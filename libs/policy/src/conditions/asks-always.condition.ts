import type { Condition } from './condition.js';

/** The capability with which a tool declares that a person decides each of its calls, whatever the rules of a tenant allow. */
export const ASKS_ALWAYS = 'asks.always';

/** A tool for operations that nobody described beforehand: no rule can know what it allows. */
export const asksAlways: Condition = {
  rule: 'contract.asks_always',
  judge: ({ contract }) =>
    contract.capabilities?.includes(ASKS_ALWAYS)
      ? { tier: 'tier_2_approval_required', why: 'a person decides each call of this tool' }
      : undefined,
};
