import { z } from 'zod';
import { amount, currency, custom_fields } from '../hermes/shapes.js';

export const CUSTOMER = 'customer_id';

/** A customer as agents know it. */
export const customer = z.strictObject({
  customer_id: z.string(),
  status: z.enum(['active', 'blocked']),
  external_url: z.string(),
  name: z.string(),
  email: z.string().optional(),
  phone: z.string().optional(),
  city: z.string().optional(),
  credit_limit: amount.optional(),
  currencies: z.array(currency).optional(),
  custom_fields,
});
