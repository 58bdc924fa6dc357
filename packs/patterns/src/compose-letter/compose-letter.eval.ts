import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';

const parts = {
  recipient: { name: 'Ada Example', address: ['1 Road', 'Town'] },
  reference: 'C-17',
  subject: 'Your claim',
  paragraphs: ['We received it.'],
  signatory: 'O. Owner',
};

export const composeLetterEval: ContractTestOptions = {
  golden: [
    {
      title: 'a formal letter, as a draft',
      input: { parts, template: 'formal@1' },
      output: {
        state: 'draft',
        template: 'formal@1',
        draft: {
          kind: 'letter',
          subject: 'Your claim',
          body: 'Ada Example\n1 Road\nTown\n\nReference: C-17\n\nDear Ada Example,\n\nWe received it.\n\nYours sincerely\nO. Owner',
        },
      },
    },
    { title: 'a reminder', input: { parts, template: 'reminder@1' }, output: { state: 'draft', template: 'reminder@1' } },
  ],
  counterpart: { snapshot: async () => 'a pure tool has no world' },
};
