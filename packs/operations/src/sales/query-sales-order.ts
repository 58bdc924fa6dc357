import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { reads } from '../erp/reads.js';
import { erpId, native } from '../hermes/shapes.js';
import { ORDER, salesOrder } from './sales-order.js';

export const querySalesOrder = defineTool({
  name: 'query_sales_order',
  version: '1.0.0',
  title: 'Read a sales order',
  description: 'Reads one sales order or quote with its lines, state and total.',
  category: 'sales',
  effect_class: 'read_internal',
  input: z.strictObject({ order_id: erpId }),
  output: salesOrder,
  system_input: native(ORDER),
  run: reads('sales_order', ORDER),
});
