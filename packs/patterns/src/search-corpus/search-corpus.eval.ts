import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';
import { expect } from '@countersign/tool-kit/expect';
import { scratchRecords } from '../scratch-records.js';

const files = {
  'corpora/rules/corpus.json': { markings: ['internal'] },
  'corpora/rules/a.md': '# Glass\n\nGlass damage is paid in full.\n\nFire is another matter.\n',
  'corpora/rules/b.txt': 'Nothing of that kind.\n\nA glass house needs care, care and care.',
};

export const searchCorpusEval: ContractTestOptions = {
  golden: [
    {
      title: 'the best passages first, where they stand',
      input: { query: 'glass damage', corpus: 'rules', k: 2 },
      output: {
        spans: [
          { source_id: 'rules/a.md', start: 9, end: 38, text: 'Glass damage is paid in full.' },
          { source_id: 'rules/a.md', text: '# Glass' },
        ],
        markings: ['internal'],
      },
      expects: (output) => {
        const { spans, retrieval_snapshot_id } = output as { spans: { retrieval_snapshot_id: string }[]; retrieval_snapshot_id: string };
        expect(spans.map((span) => span.retrieval_snapshot_id)).toEqual([retrieval_snapshot_id, retrieval_snapshot_id]);
      },
    },
    { title: 'nothing', input: { query: 'earthquake', corpus: 'rules' }, output: { spans: [] } },
  ],
  counterpart: scratchRecords(files),
  context: { clearances: ['internal'] },
  generated: (inputs) => inputs.map((input) => ({ ...(input as object), corpus: 'rules' })),
};
