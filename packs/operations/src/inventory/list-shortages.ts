import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { lists } from '../erp/reads.js';
import { erpId, listOf, native, page } from '../hermes/shapes.js';
import { shortage } from './stock-records.js';

export const listShortages = defineTool({
  name: 'list_shortages',
  version: '1.0.0',
  title: 'List shortages',
  description: 'Lists the products of which less is available than is needed.',
  category: 'inventory',
  effect_class: 'read_internal',
  input: z.strictObject({ supplier: erpId.optional(), ...page }),
  output: listOf(shortage),
  system_input: native('limit', 'cursor'),
  run: lists('shortage', 'shortage_id'),
});
