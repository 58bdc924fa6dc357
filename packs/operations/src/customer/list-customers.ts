import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { lists } from '../erp/reads.js';
import { listOf, native, page, short } from '../hermes/shapes.js';
import { CUSTOMER, customer } from './customer-record.js';

export const listCustomers = defineTool({
  name: 'list_customers',
  version: '1.0.0',
  title: 'List customers',
  description: 'Lists customers, all of them or those whose name contains a text.',
  category: 'customer',
  effect_class: 'read_internal',
  input: z.strictObject({ text: short(100).optional(), ...page }),
  output: listOf(customer),
  system_input: native('text', 'limit', 'cursor'),
  run: lists('customer', CUSTOMER),
});
