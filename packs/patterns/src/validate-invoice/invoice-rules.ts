import type { RulePack } from '@countersign/tool-kit/patterns/rule-pack';

const first: RulePack = {
  name: 'invoice',
  version: '1.0.0',
  rules: [
    { id: 'has_number', severity: 'block', says: 'an invoice has a number', check: { kind: 'present', pointer: '/number' } },
    { id: 'has_lines', severity: 'block', says: 'an invoice has lines', check: { kind: 'present', pointer: '/lines/*/amount' } },
    {
      id: 'lines_add_up',
      severity: 'block',
      says: 'the lines add up to the total',
      check: { kind: 'sum', pointer: '/lines/*/amount', of: '/total' },
    },
    {
      id: 'due_after_issue',
      severity: 'warn',
      says: 'it is due no earlier than it was issued',
      check: { kind: 'not_after', pointer: '/issued_on', other: '/due_on' },
    },
  ],
};

/** The rules for an invoice; a version never changes, so that old verdicts can be reproduced. */
export const invoiceRules: readonly [RulePack, ...RulePack[]] = [
  first,
  {
    ...first,
    version: '1.1.0',
    rules: [
      ...first.rules,
      {
        id: 'known_currency',
        severity: 'block',
        says: 'the currency is one that we pay in',
        check: { kind: 'one_of', pointer: '/currency', values: ['EUR', 'USD', 'GBP', 'CHF', 'TRY'] },
      },
      {
        id: 'usual_amount',
        severity: 'warn',
        says: 'the total is from 0 to 50000',
        check: { kind: 'between', pointer: '/total', low: '0', high: '50000' },
      },
    ],
  },
];
