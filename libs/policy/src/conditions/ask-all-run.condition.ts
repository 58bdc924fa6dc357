import { isReadOnly } from '@countersign/contracts';
import type { Condition } from './condition.js';

/** A run that wants every write asked for waits for a person before each. */
export const askAllRun: Condition = {
  rule: 'context.safety_mode.ask_all',
  judge: ({ context, contract }) =>
    context.safety_mode === 'ask_all' && !isReadOnly(contract.effect_class)
      ? { tier: 'tier_2_approval_required', why: 'the run requires approval for every write' }
      : undefined,
};
