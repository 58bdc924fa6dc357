import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { lists } from '../erp/reads.js';
import { listOf, native, page, short } from '../hermes/shapes.js';
import { PRODUCT, product } from './product-record.js';

export const searchProducts = defineTool({
  name: 'search_products',
  version: '1.0.0',
  title: 'Search products',
  description: 'Lists the products whose name or code contains a text.',
  category: 'product',
  effect_class: 'read_internal',
  input: z.strictObject({ text: short(100), ...page }),
  output: listOf(product),
  system_input: native('text', 'limit', 'cursor'),
  run: lists('product', PRODUCT),
});
