import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { reads } from '../erp/reads.js';
import { erpId, native } from '../hermes/shapes.js';
import { CUSTOMER, customer } from './customer-record.js';

export const queryCustomer = defineTool({
  name: 'query_customer',
  version: '1.0.0',
  title: 'Read a customer',
  description: 'Reads the master data of one customer.',
  category: 'customer',
  effect_class: 'read_internal',
  input: z.strictObject({ customer_id: erpId }),
  output: customer,
  system_input: native(CUSTOMER),
  run: reads('customer', CUSTOMER),
});
