import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { lists } from '../erp/reads.js';
import { erpId, listOf, native, page } from '../hermes/shapes.js';
import { reservation } from './stock-records.js';

export const queryReservation = defineTool({
  name: 'query_reservation',
  version: '1.0.0',
  title: 'Read what is reserved for an order',
  description: 'Reads which stock is reserved for a sales order.',
  category: 'inventory',
  effect_class: 'read_internal',
  input: z.strictObject({ order: erpId, ...page }),
  output: listOf(reservation),
  system_input: native('limit', 'cursor'),
  run: lists('reservation', 'reservation_id'),
});
