import { z } from 'zod';
import { amount, currency, custom_fields, day, erpId, lines } from '../hermes/shapes.js';

export const ORDER = 'order_id';
export const QUOTE = 'quote_id';

export const salesStatus = z.enum(['draft', 'quotation', 'confirmed', 'processing', 'done', 'cancelled']);

const fields = {
  status: salesStatus,
  external_url: z.string(),
  customer: erpId,
  line_items: lines,
  valid_until: day.optional(),
  currency: currency.optional(),
  total: amount.optional(),
  note: z.string().optional(),
  custom_fields,
};

/** A sales order as agents know it. A quote is one that is not confirmed. */
export const salesOrder = z.strictObject({ order_id: z.string(), ...fields });
export const quote = z.strictObject({ quote_id: z.string(), ...fields });

export const ORDER_BY_HAND = 'open the order in the ERP and move it there';
