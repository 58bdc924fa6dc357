import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';

const subject = (content: string) => ({ source_id: 'doc-1', media_type: 'text/plain', content });

export const classifyDocumentEval: ContractTestOptions = {
  golden: [
    {
      title: 'an invoice, with what speaks for it',
      input: { subject: subject('INVOICE 2026-17\nAmount due: 12 EUR') },
      output: {
        band: 'invoice',
        confidence: 1,
        evidence: [
          { start: 0, end: 7, text: 'INVOICE' },
          { start: 16, end: 26, text: 'Amount due' },
        ],
      },
    },
    { title: 'a contract', input: { subject: subject('This agreement is made between the parties.') }, output: { band: 'contract' } },
    { title: 'a credit note', input: { subject: subject('Credit note: credited to your account') }, output: { band: 'credit_note' } },
  ],
  counterpart: { snapshot: async () => 'a pure tool has no world' },
};
