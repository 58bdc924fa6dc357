import { defineTool } from '@countersign/tool-kit';
import { effectShape, orderShape, postEffect } from '../counterparty.js';
import { paymentResources } from '../payment.js';

/** An external effect that can be neither queried nor retried: after a lost response the call is in doubt. */
export const probeHttpBlind = defineTool({
  name: 'probe_http_blind',
  version: '1.1.0',
  title: 'Effect at the counterparty, unaskable',
  description: 'For tests: asks the probe counterparty for one effect over HTTP. A lost answer stays in doubt until a person decides.',
  category: 'probe',
  effect_class: 'commit_low',
  network: ['127.0.0.1', 'localhost'],
  reversibility: 'irreversible',
  idempotency: { discriminating: ['account', 'amount', 'note'] },
  resources: paymentResources,
  input: orderShape(60_000),
  output: effectShape,
  run: (order, ctx) => postEffect(order, ctx),
});
