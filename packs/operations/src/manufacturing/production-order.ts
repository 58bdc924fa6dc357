import { z } from 'zod';
import { custom_fields, day, erpId, quantity } from '../hermes/shapes.js';

export const PRODUCTION = 'production_id';

export const productionStatus = z.enum(['draft', 'waiting', 'assigned', 'running', 'done', 'cancelled']);

/** A production order as agents know it. */
export const productionOrder = z.strictObject({
  production_id: z.string(),
  status: productionStatus,
  external_url: z.string(),
  product: erpId,
  quantity,
  planned_date: day.optional(),
  note: z.string().optional(),
  custom_fields,
});

export const PRODUCTION_BY_HAND = 'open the production order in the ERP and move it there';
