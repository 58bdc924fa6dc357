import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { type Creation, cancels, createdShape, creates, writeTimes } from '../erp/creates.js';
import { notPast } from '../hermes/dates.js';
import { custom_fields, day, erpId, native, quantity, short } from '../hermes/shapes.js';
import { PRODUCTION, PRODUCTION_BY_HAND } from './production-order.js';

const creation: Creation<typeof PRODUCTION> = {
  id: PRODUCTION,
  check: ({ planned_date }) => notPast('/planned_date', planned_date),
  by_hand: PRODUCTION_BY_HAND,
};

/** Creates a production order as a draft. */
export const createProductionOrder = defineTool({
  name: 'create_production_order',
  version: '1.0.0',
  title: 'Create a production order',
  description: 'Creates a production order as a draft. Nothing is produced until its state changes.',
  summary: 'Draft the production of {/quantity} {/product}',
  category: 'manufacturing',
  effect_class: 'commit_high',
  reversibility: 'reversible',
  idempotency: { discriminating: ['product', 'quantity', 'planned_date', 'custom_fields'] },
  resources: [{ name: 'production_order:new/{/product}', effect: 'adds' }],
  ...writeTimes,
  input: z.strictObject({
    product: erpId,
    quantity,
    planned_date: day.optional(),
    reference: short(60).optional(),
    note: short(500).optional(),
    custom_fields,
  }),
  output: createdShape(PRODUCTION),
  system_input: native('product', 'quantity'),
  ...creates('production_order', creation),
  compensate: cancels('production_order', creation),
});
