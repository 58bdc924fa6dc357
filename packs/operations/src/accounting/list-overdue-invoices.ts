import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { lists } from '../erp/reads.js';
import { day, erpId, listOf, native, page } from '../hermes/shapes.js';
import { INVOICE, invoice } from './invoice.js';

export const listOverdueInvoices = defineTool({
  name: 'list_overdue_invoices',
  version: '1.0.0',
  title: 'List overdue invoices',
  description: 'Lists the posted invoices that were due before a day and are not paid.',
  category: 'accounting',
  effect_class: 'read_internal',
  input: z.strictObject({ as_of: day, customer: erpId.optional(), ...page }),
  output: listOf(invoice),
  system_input: native('as_of', 'limit', 'cursor'),
  run: lists('invoice', INVOICE),
});
