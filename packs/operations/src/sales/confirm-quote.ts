import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { writeTimes } from '../erp/creates.js';
import { movedShape, moves } from '../erp/moves.js';
import { erpId, native } from '../hermes/shapes.js';
import { ORDER_BY_HAND, QUOTE } from './sales-order.js';

/** Makes an order of a quote that the customer accepted. */
export const confirmQuote = defineTool({
  name: 'confirm_quote',
  version: '1.0.0',
  title: 'Confirm a quote',
  description: 'Makes a binding sales order of a quote that the customer accepted. It cannot be undone by a tool.',
  summary: 'Confirm the quote {/quote_id}: it becomes a binding order',
  category: 'sales',
  effect_class: 'commit_high',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['quote_id'] },
  resources: [{ name: 'sales_order:{/quote_id}', effect: 'replaces' }],
  ...writeTimes,
  input: z.strictObject({ quote_id: erpId }),
  output: movedShape(QUOTE),
  system_input: native(QUOTE),
  ...moves('sales_order', QUOTE, () => ({ action: 'confirm', reached: ['confirmed', 'processing', 'done'], by_hand: ORDER_BY_HAND })),
});
