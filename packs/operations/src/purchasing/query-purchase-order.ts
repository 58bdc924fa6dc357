import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { reads } from '../erp/reads.js';
import { erpId, native } from '../hermes/shapes.js';
import { PO, purchaseOrder } from './purchase-order.js';

export const queryPurchaseOrder = defineTool({
  name: 'query_purchase_order',
  version: '1.0.0',
  title: 'Read a purchase order',
  description: 'Reads one purchase order with its lines, state and total.',
  category: 'purchasing',
  effect_class: 'read_internal',
  input: z.strictObject({ po_id: erpId }),
  output: purchaseOrder,
  system_input: native(PO),
  run: reads('purchase_order', PO),
});
