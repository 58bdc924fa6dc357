import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { reads } from '../erp/reads.js';
import { erpId, native } from '../hermes/shapes.js';
import { PRODUCTION, productionOrder } from './production-order.js';

export const queryProductionOrder = defineTool({
  name: 'query_production_order',
  version: '1.0.0',
  title: 'Read a production order',
  description: 'Reads one production order with its product, quantity and state.',
  category: 'manufacturing',
  effect_class: 'read_internal',
  input: z.strictObject({ production_id: erpId }),
  output: productionOrder,
  system_input: native(PRODUCTION),
  run: reads('production_order', PRODUCTION),
});
