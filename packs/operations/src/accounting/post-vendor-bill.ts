import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { createdShape, creates, writeTimes } from '../erp/creates.js';
import { amount, currency, custom_fields, day, erpId, native, short } from '../hermes/shapes.js';
import { BILL } from './invoice.js';

const POSTED: readonly string[] = ['posted', 'paid'];

/** Posts the bill of a supplier for an order. A posted bill is corrected by another one, never removed. */
export const postVendorBill = defineTool({
  name: 'post_vendor_bill',
  version: '1.0.0',
  title: 'Post a vendor bill',
  description: 'Posts the bill of a supplier for a purchase order. It cannot be undone: a mistake needs a credit note.',
  summary: 'Post the bill {/invoice_number} of {/supplier} over {/total} for {/purchase_order}',
  category: 'accounting',
  effect_class: 'commit_high',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['supplier', 'purchase_order', 'invoice_number', 'total', 'currency'] },
  resources: [{ name: 'vendor_bill:{/supplier}', effect: 'adds' }],
  ...writeTimes,
  input: z.strictObject({
    supplier: erpId,
    purchase_order: erpId,
    invoice_number: short(60),
    invoice_date: day,
    total: amount,
    currency: currency.optional(),
    custom_fields,
  }),
  output: createdShape(BILL),
  system_input: native('supplier', 'purchase_order', 'invoice_number', 'total'),
  ...creates('vendor_bill', { id: BILL, shows: ({ status }) => POSTED.includes(status), by_hand: 'post a credit note in the ERP' }),
});
