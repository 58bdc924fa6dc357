import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';
import { scratchRecords } from '../scratch-records.js';

const objects = [
  { at: '2026-10-01T00:00:00Z', fields: { amount: '0.1', kind: 'glass' } },
  { at: '2026-10-02T00:00:00Z', markings: ['pii.medium'], fields: { amount: '0.2', kind: 'glass' } },
  { at: '2026-10-03T00:00:00Z', markings: ['internal'], fields: { amount: '7', kind: 'fire' } },
  { at: '2026-11-01T00:00:00Z', fields: { amount: '1000', kind: 'fire' } },
];
const window = { from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' };

export const aggregateObjectsEval: ContractTestOptions = {
  golden: [
    {
      title: 'a sum over marked objects is marked, and exact',
      input: { query: { collection: 'losses', field: 'amount', where: { kind: 'glass' } }, window, operation: 'sum' },
      output: { metric: '0.3', objects: 2, markings: ['pii.medium'] },
    },
    {
      title: 'one over unmarked objects is not',
      input: { query: { collection: 'losses', field: 'amount' }, window: { ...window, to: '2026-10-02T00:00:00Z' }, operation: 'max' },
      output: { metric: '0.1', objects: 1, markings: [] },
    },
    {
      title: 'the window ends before its end',
      input: { query: { collection: 'losses' }, window, operation: 'count' },
      output: { metric: '3', markings: ['internal', 'pii.medium'] },
    },
    {
      title: 'a mean',
      input: { query: { collection: 'losses', field: 'amount' }, window, operation: 'mean' },
      output: { metric: '2.433333333333333333' },
    },
    {
      title: 'of nothing',
      input: { query: { collection: 'losses', field: 'none' }, window, operation: 'min' },
      output: { metric: null, objects: 3 },
    },
  ],
  counterpart: scratchRecords({ 'objects/losses.jsonl': objects.map((each) => JSON.stringify(each)).join('\n') }),
  generated_runs: 20,
};
