import { defineTool } from '@countersign/tool-kit';
import { effectOfKey, effectShape, orderShape, postEffect } from '../counterparty.js';
import { paymentResources } from '../payment.js';

const SETTLE_MS = 2_000;

/** An external effect that can be reconciled by key. Its counterparty acts within the settle time or never. */
export const probeHttpEffect = defineTool({
  name: 'probe_http_effect',
  version: '1.1.0',
  title: 'Effect at the counterparty',
  description: 'For tests: asks the probe counterparty for one effect over HTTP. A lost answer is reconciled by asking for the key.',
  category: 'probe',
  effect_class: 'commit_low',
  network: ['127.0.0.1', 'localhost'],
  reversibility: 'irreversible',
  idempotency: { discriminating: ['account', 'amount', 'note'] },
  resources: paymentResources,
  settle_ms: SETTLE_MS,
  input: orderShape(SETTLE_MS / 2),
  output: effectShape,
  run: (order, ctx) => postEffect(order, ctx, { within_ms: 0.75 * SETTLE_MS }),
  reconcile: (_order, ctx) => effectOfKey(ctx),
});
