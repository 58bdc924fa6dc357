import { setImmediate } from 'node:timers/promises';
import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { draftedAt, payment } from '../payment.js';
import { effectCounter } from './effect-counter.js';

/**
 * Counts an effect in process and returns about 200 bytes: the tool of the bench. It declares no resources and has no read-back:
 * `probe_named_effect` is the same with one resource.
 */
export const probeEffect = defineTool({
  name: 'probe_effect',
  version: '1.0.0',
  title: 'Count an effect',
  description: 'For tests and benches: counts one effect inside the executor and answers with its number. Nothing outside changes.',
  category: 'probe',
  effect_class: 'commit_low',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['account', 'amount', 'note'] },
  timeout_ms: 10_000,
  input: payment.extend({ drafted_at: draftedAt }),
  output: z.strictObject({ ok: z.literal(true), seq: z.int(), key: z.string(), amount: z.int(), receipt: z.string() }),
  run: async ({ amount }, ctx) => {
    const effect = effectCounter.add(ctx.idempotency_key, amount);
    await setImmediate();
    return effect;
  },
});
