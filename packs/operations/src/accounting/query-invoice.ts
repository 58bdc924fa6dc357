import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { reads } from '../erp/reads.js';
import { erpId, native } from '../hermes/shapes.js';
import { INVOICE, invoice } from './invoice.js';

export const queryInvoice = defineTool({
  name: 'query_invoice',
  version: '1.0.0',
  title: 'Read an invoice',
  description: 'Reads one invoice to a customer with its dates, state and amounts.',
  category: 'accounting',
  effect_class: 'read_internal',
  input: z.strictObject({ invoice_id: erpId }),
  output: invoice,
  system_input: native(INVOICE),
  run: reads('invoice', INVOICE),
});
