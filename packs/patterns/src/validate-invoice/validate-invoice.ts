import { decimalText } from '@countersign/tool-kit/patterns/decimal';
import { defineValidation } from '@countersign/tool-kit/patterns/validation';
import { z } from 'zod';
import { invoiceRules } from './invoice-rules.js';

/** Judges an invoice by a versioned rule pack: pass, warn or block, with the outcome of every rule. */
export const validateInvoice = defineValidation({
  name: 'validate_invoice',
  version: '1.0.0',
  title: 'Validate an invoice',
  description: 'Judges an invoice by a named version of the invoice rules: pass, warn or block, and the outcome of every single rule.',
  category: 'data',
  capabilities: ['validation', 'invoices'],
  cache: { kind: 'forever' },
  max_output_bytes: 64 * 1024,
  candidate: z.strictObject({
    number: z.string().max(100).optional(),
    currency: z.string().max(3).optional(),
    issued_on: z.iso.date().optional(),
    due_on: z.iso.date().optional(),
    total: decimalText,
    lines: z.array(z.strictObject({ text: z.string().max(500), amount: decimalText })).max(1_000),
  }),
  rule_packs: invoiceRules,
});
