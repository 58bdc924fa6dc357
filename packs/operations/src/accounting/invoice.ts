import { z } from 'zod';
import { amount, currency, custom_fields, day, erpId } from '../hermes/shapes.js';

export const INVOICE = 'invoice_id';
export const BILL = 'bill_id';

/** An invoice to a customer as agents know it. */
export const invoice = z.strictObject({
  invoice_id: z.string(),
  status: z.enum(['draft', 'validated', 'posted', 'paid', 'cancelled']),
  external_url: z.string(),
  customer: erpId,
  number: z.string().optional(),
  issue_date: day.optional(),
  due_date: day.optional(),
  currency: currency.optional(),
  total: amount.optional(),
  open_amount: amount.optional(),
  custom_fields,
});
