import { z } from 'zod';
import { erpId } from '../hermes/shapes.js';

const count = z.int().min(-1_000_000_000).max(1_000_000_000);

/** The stock of a product at a place, as agents know it. */
export const stock = z.strictObject({
  stock_id: z.string(),
  status: z.string(),
  external_url: z.string(),
  product: erpId,
  location: z.string().optional(),
  on_hand: count,
  reserved: count.optional(),
  available: count.optional(),
});

/** Stock that is kept for an order. */
export const reservation = z.strictObject({
  reservation_id: z.string(),
  status: z.string(),
  external_url: z.string(),
  order: z.string(),
  product: erpId,
  quantity: count,
  location: z.string().optional(),
});

/** A product of which less is there than is needed. */
export const shortage = z.strictObject({
  shortage_id: z.string(),
  status: z.string(),
  external_url: z.string(),
  product: erpId,
  required: count,
  available: count,
  missing: count,
  supplier: erpId.optional(),
});
