import { defineTool } from '@countersign/tool-kit';
import { effectShape, orderShape, postEffect } from '../counterparty.js';
import { paymentResources } from '../payment.js';

/** An external effect that happens once for each key, however often it is sent. */
export const probeHttpKeyed = defineTool({
  name: 'probe_http_keyed',
  version: '1.1.0',
  title: 'Effect at the counterparty, once a key',
  description: 'For tests: asks the probe counterparty for one effect over HTTP, which it does once per key. A lost answer is sent again.',
  category: 'probe',
  cost_per_call: 0.25,
  effect_class: 'commit_low',
  network: ['127.0.0.1', 'localhost'],
  reversibility: 'irreversible',
  idempotency: { discriminating: ['account', 'amount', 'note'] },
  resources: paymentResources,
  takes_key: true,
  input: orderShape(60_000),
  output: effectShape,
  run: (order, ctx) => postEffect(order, ctx, { once: true }),
});
