import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { reads } from '../erp/reads.js';
import { erpId, native } from '../hermes/shapes.js';
import { PRODUCT, product } from './product-record.js';

export const queryProduct = defineTool({
  name: 'query_product',
  version: '1.0.0',
  title: 'Read a product',
  description: 'Reads one product with its code, unit and prices.',
  category: 'product',
  effect_class: 'read_internal',
  input: z.strictObject({ product_id: erpId }),
  output: product,
  system_input: native(PRODUCT),
  run: reads('product', PRODUCT),
});
