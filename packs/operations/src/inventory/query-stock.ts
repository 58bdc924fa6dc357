import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { lists } from '../erp/reads.js';
import { erpId, listOf, native, page, short } from '../hermes/shapes.js';
import { stock } from './stock-records.js';

export const queryStock = defineTool({
  name: 'query_stock',
  version: '1.0.0',
  title: 'Read the stock of a product',
  description: 'Reads how many pieces of a product are on hand, reserved and available, at each place.',
  category: 'inventory',
  effect_class: 'read_internal',
  input: z.strictObject({ product: erpId, location: short(60).optional(), ...page }),
  output: listOf(stock),
  system_input: native('limit', 'cursor'),
  run: lists('stock', 'stock_id'),
});
