import { z } from 'zod';
import { amount, currency, custom_fields, day, erpId, lines } from '../hermes/shapes.js';

export const PO = 'po_id';

/** States of a purchase order. Processing: the supplier has it, and only a person can take it back. */
export const purchaseStatus = z.enum(['draft', 'quotation', 'confirmed', 'processing', 'done', 'cancelled']);

/** What a person does where the system does not cancel an order. */
export const CANCEL_BY_HAND =
  'agree the cancellation with the supplier, cancel its receipt and its invoice in the ERP, and close the order there';

/** A purchase order as agents know it. */
export const purchaseOrder = z.strictObject({
  po_id: z.string(),
  status: purchaseStatus,
  external_url: z.string(),
  supplier: erpId,
  line_items: lines,
  delivery_date: day.optional(),
  currency: currency.optional(),
  total: amount.optional(),
  cost_center: z.string().optional(),
  note: z.string().optional(),
  custom_fields,
});
