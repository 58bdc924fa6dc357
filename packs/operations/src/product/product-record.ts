import { z } from 'zod';
import { amount, currency, custom_fields, erpId } from '../hermes/shapes.js';

export const PRODUCT = 'product_id';

/** A product as agents know it. */
export const product = z.strictObject({
  product_id: z.string(),
  status: z.enum(['active', 'archived']),
  external_url: z.string(),
  name: z.string(),
  code: z.string().optional(),
  unit: z.string().optional(),
  list_price: amount.optional(),
  cost_price: amount.optional(),
  currency: currency.optional(),
  supplier: erpId.optional(),
  producible: z.boolean().optional(),
  custom_fields,
});
