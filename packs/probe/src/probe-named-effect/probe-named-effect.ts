import { setImmediate } from 'node:timers/promises';
import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { draftedAt, payment } from '../payment.js';
import { effectCounter } from '../probe-effect/effect-counter.js';

/** Counts an effect in process, as `probe_effect` does, and declares one resource: the difference of the two is the cost of a resource. */
export const probeNamedEffect = defineTool({
  name: 'probe_named_effect',
  version: '1.0.0',
  title: 'Count an effect that has a name',
  description: 'For tests and benches: counts one effect inside the executor, on one resource. Nothing outside changes.',
  category: 'probe',
  effect_class: 'commit_low',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['account', 'amount', 'note'] },
  resources: [{ name: 'account:{/account}', effect: 'adds' }],
  timeout_ms: 10_000,
  input: payment.extend({ drafted_at: draftedAt }),
  output: z.strictObject({ ok: z.literal(true), seq: z.int(), key: z.string(), amount: z.int(), receipt: z.string() }),
  run: async ({ amount }, ctx) => {
    const effect = effectCounter.add(ctx.idempotency_key, amount);
    await setImmediate();
    return effect;
  },
});
