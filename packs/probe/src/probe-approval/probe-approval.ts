import { defineTool } from '@countersign/tool-kit';
import { effectOfKey, effectShape, orderShape, postEffect } from '../counterparty.js';
import { paymentResources } from '../payment.js';

const SETTLE_MS = 2_000;

/** An effect at the counterparty that requires an approval. */
export const probeApproval = defineTool({
  name: 'probe_approval',
  version: '1.1.0',
  title: 'Effect at the counterparty, with approval',
  description: 'For tests: asks the probe counterparty for one effect over HTTP, once a person has approved it.',
  category: 'probe',
  effect_class: 'commit_high',
  network: ['127.0.0.1', 'localhost'],
  reversibility: 'irreversible',
  idempotency: { discriminating: ['account', 'amount', 'note'] },
  resources: paymentResources,
  settle_ms: SETTLE_MS,
  input: orderShape(SETTLE_MS / 2),
  output: effectShape,
  run: (order, ctx) => postEffect(order, ctx),
  reconcile: (_order, ctx) => effectOfKey(ctx),
});
