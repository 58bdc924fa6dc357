import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { type Creation, cancels, createdShape, creates, writeTimes } from '../erp/creates.js';
import { notPast } from '../hermes/dates.js';
import { currency, custom_fields, day, erpId, lines, native, short } from '../hermes/shapes.js';
import { CANCEL_BY_HAND, PO } from './purchase-order.js';

const creation: Creation<typeof PO> = {
  id: PO,
  check: ({ delivery_date }) => notPast('/delivery_date', delivery_date),
  by_hand: CANCEL_BY_HAND,
};

/** Creates a purchase order as a draft, which can be cancelled; `confirm_purchase_order` sends it. */
export const createPurchaseOrder = defineTool({
  name: 'create_purchase_order',
  version: '1.0.0',
  title: 'Create a purchase order',
  description:
    'Creates a purchase order as a draft. Nothing is ordered until confirm_purchase_order. The same order for the same case is made once.',
  summary: 'Draft an order to {/supplier} for {/delivery_date}: {/line_items}',
  category: 'purchasing',
  effect_class: 'commit_high',
  reversibility: 'reversible',
  // The note is the model's own wording: said in other words it is the same order.
  idempotency: { discriminating: ['supplier', 'line_items', 'delivery_date', 'currency', 'cost_center', 'custom_fields'] },
  resources: [{ name: 'purchase_order:new/{/supplier}/{/delivery_date}', effect: 'adds' }],
  ...writeTimes,
  input: z.strictObject({
    supplier: erpId,
    line_items: lines,
    delivery_date: day,
    currency: currency.optional().describe('A currency of the supplier; by default its first.'),
    cost_center: short(60).optional(),
    reference: short(60).optional().describe('A reference of yours, for example the quote.'),
    note: short(500).optional(),
    custom_fields,
  }),
  output: createdShape(PO),
  system_input: native('supplier', 'delivery_date', 'line_items'),
  ...creates('purchase_order', creation),
  compensate: cancels('purchase_order', creation),
});
