import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';

const text = { source_id: 'mail-1', media_type: 'text/plain', content: 'Invoice no: 2026-17\nTotal: EUR 1,204.50\nDue: 01.12.2026\n' };
const json = {
  source_id: 'inv-1',
  media_type: 'application/json',
  content: '{"lines":[{"amount": 12.50}],"buyer":{"email":"A@Example.org"}}',
};

export const extractPropertyEval: ContractTestOptions = {
  golden: [
    {
      title: 'a labelled amount of a text, with its place',
      input: { source: text, hints: { label: 'total', type: 'decimal' } },
      output: {
        value: '1204.50',
        evidence: { start: 27, end: 39, text: 'EUR 1,204.50' },
        confidence: 0.95,
        exceptions: [],
        lineage: { extractor: 'extract_property@1.0.0', method: 'rules' },
      },
    },
    { title: 'a date', input: { source: text, hints: { label: 'Due', type: 'date' } }, output: { value: '2026-12-01' } },
    {
      title: 'a leap day',
      input: { source: { ...text, content: 'Due: 29.02.2028' }, hints: { label: 'Due', type: 'date' } },
      output: { value: '2028-02-29', exceptions: [] },
    },
    ...['30.02.2026', '29.02.2027', '2026-04-31', '00.01.2026', '2026-13-01'].map((day) => ({
      title: `a day that no calendar has is an exception: ${day}`,
      input: { source: { ...text, content: `Due: ${day}` }, hints: { label: 'Due', type: 'date' } },
      output: { value: null, evidence: null, confidence: 0, exceptions: [{ kind: 'extract.unreadable' }] },
    })),
    {
      title: 'a number of a JSON document, digit by digit',
      input: { source: json, hints: { label: '/lines/0/amount', type: 'decimal' } },
      output: { value: '12.50', evidence: { text: '12.50' }, confidence: 1 },
    },
    { title: 'an address', input: { source: json, hints: { label: '/buyer/email', type: 'email' } }, output: { value: 'a@example.org' } },
    {
      title: 'what is not there is an exception',
      input: { source: text, hints: { label: 'IBAN' } },
      output: { value: null, evidence: null, confidence: 0, exceptions: [{ kind: 'extract.not_found' }] },
    },
    {
      title: 'two values are an exception',
      input: { source: { ...text, content: 'Total: 1\nTotal: 2' }, hints: { label: 'total' } },
      output: { value: null, exceptions: [{ kind: 'extract.ambiguous' }] },
    },
    {
      title: 'a value of another type is an exception',
      input: { source: text, hints: { label: 'Invoice no', type: 'email' } },
      output: { value: null, exceptions: [{ kind: 'extract.unreadable' }] },
    },
  ],
  counterpart: { snapshot: async () => 'a pure tool has no world' },
};
