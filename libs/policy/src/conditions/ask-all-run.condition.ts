import { isReadOnly } from '@countersign/contracts';
import type { Condition } from './condition.js';

/** In a run with safety mode `ask_all`, every write needs approval. */
export const askAllRun: Condition = {
  rule: 'context.safety_mode.ask_all',
  judge: ({ context, contract }) =>
    context.safety_mode === 'ask_all' && !isReadOnly(contract.effect_class)
      ? { tier: 'tier_2_approval_required', why: 'the run requires approval for every write' }
      : undefined,
};
