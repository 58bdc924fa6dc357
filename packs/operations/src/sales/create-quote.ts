import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { type Creation, cancels, createdShape, creates, writeTimes } from '../erp/creates.js';
import { notPast } from '../hermes/dates.js';
import { currency, custom_fields, day, erpId, lines, native, short } from '../hermes/shapes.js';
import { ORDER_BY_HAND, QUOTE } from './sales-order.js';

const creation: Creation<typeof QUOTE> = {
  id: QUOTE,
  check: ({ valid_until }) => notPast('/valid_until', valid_until),
  by_hand: ORDER_BY_HAND,
};

/** Creates a quote as a draft. */
export const createQuote = defineTool({
  name: 'create_quote',
  version: '1.0.0',
  title: 'Create a quote',
  description: 'Creates a quote for a customer as a draft. The same quote for the same case is made once.',
  summary: 'Draft a quote for {/customer}: {/line_items}',
  category: 'sales',
  effect_class: 'commit_high',
  reversibility: 'reversible',
  idempotency: { discriminating: ['customer', 'line_items', 'valid_until', 'currency', 'custom_fields'] },
  resources: [{ name: 'sales_order:new/{/customer}', effect: 'adds' }],
  ...writeTimes,
  input: z.strictObject({
    customer: erpId,
    line_items: lines,
    valid_until: day.optional(),
    currency: currency.optional().describe('A currency of the customer; by default its first.'),
    reference: short(60).optional(),
    note: short(500).optional(),
    custom_fields,
  }),
  output: createdShape(QUOTE),
  system_input: native('customer', 'line_items'),
  ...creates('sales_order', creation),
  compensate: cancels('sales_order', creation),
});
