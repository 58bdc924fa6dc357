import { isReadOnly } from '@countersign/contracts';
import type { Condition } from './condition.js';

/** A run with safety mode `read_only` cannot write. */
export const readOnlyRun: Condition = {
  rule: 'context.safety_mode.read_only',
  judge: ({ context, contract }) =>
    context.safety_mode === 'read_only' && !isReadOnly(contract.effect_class)
      ? { tier: 'tier_3_blocked', why: 'the run is read-only and this tool writes' }
      : undefined,
};
