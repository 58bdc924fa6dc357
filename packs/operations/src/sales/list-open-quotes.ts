import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { lists } from '../erp/reads.js';
import { erpId, listOf, native, page } from '../hermes/shapes.js';
import { QUOTE, quote } from './sales-order.js';

export const listOpenQuotes = defineTool({
  name: 'list_open_quotes',
  version: '1.0.0',
  title: 'List open quotes',
  description: 'Lists the quotes that no customer has accepted yet, of all customers or of one.',
  category: 'sales',
  effect_class: 'read_internal',
  input: z.strictObject({ customer: erpId.optional(), ...page }),
  output: listOf(quote),
  system_input: native('limit', 'cursor'),
  run: lists('sales_order', QUOTE, { open: true }),
});
