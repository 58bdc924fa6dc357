import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';

const candidate = {
  number: '2026-17',
  currency: 'EUR',
  issued_on: '2026-11-01',
  due_on: '2026-12-01',
  total: '0.30',
  lines: [
    { text: 'a', amount: '0.1' },
    { text: 'b', amount: '0.2' },
  ],
};
const rule_pack = 'invoice@1.1.0';

export const validateInvoiceEval: ContractTestOptions = {
  golden: [
    {
      title: 'one that is right to the last digit',
      input: { candidate, rule_pack },
      output: {
        verdict: 'pass',
      },
    },
    {
      title: 'one that is due before it was issued is warned of',
      input: { candidate: { ...candidate, due_on: '2026-10-01' }, rule_pack },
      output: { verdict: 'warn', trace: [{}, {}, {}, { rule: 'due_after_issue', outcome: 'warn' }, {}, {}] },
    },
    {
      title: 'one that does not add up is blocked',
      input: { candidate: { ...candidate, total: '0.31' }, rule_pack },
      output: { verdict: 'block', trace: [{}, {}, { rule: 'lines_add_up', outcome: 'block', pointer: '/lines/*/amount' }, {}, {}, {}] },
    },
    {
      title: 'an old version of the rules judges as it did',
      input: { candidate: { ...candidate, currency: 'XAU' }, rule_pack: 'invoice@1.0.0' },
      output: { verdict: 'pass', rule_pack: 'invoice@1.0.0' },
    },
    { title: 'a newer one blocks it', input: { candidate: { ...candidate, currency: 'XAU' }, rule_pack }, output: { verdict: 'block' } },
  ],
  counterpart: { snapshot: async () => 'a pure tool has no world' },
};
