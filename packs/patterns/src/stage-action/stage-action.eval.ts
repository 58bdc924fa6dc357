import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';
import { scratchRecords } from '../scratch-records.js';

const payload = { summary: 'Refund claim C-17', amount: '120.50', currency: 'EUR' };

export const stageActionEval: ContractTestOptions = {
  golden: [
    {
      title: 'a transfer',
      input: { kind: 'transfer_money', target_system: 'bank', target_ref: 'account/9', payload },
      output: {
        state: 'staged',
        kind: 'transfer_money',
        target_ref: 'account/9',
        payload: { ...payload, fields: {} },
        case_id: 'case-1',
        staged_by: { id: 'agent-1' },
      },
    },
    {
      title: 'a letter',
      input: { kind: 'send_letter', target_system: 'mail', payload: { summary: 'Answer' } },
      output: { target_ref: null },
    },
  ],
  states: [
    {
      title: 'two transfers to one account',
      a: { kind: 'transfer_money', target_system: 'bank', target_ref: 'account/9', payload },
      b: { kind: 'transfer_money', target_system: 'bank', target_ref: 'account/9', payload: { ...payload, amount: '7.00' } },
    },
  ],
  counterpart: scratchRecords(),
  generated_runs: 20,
  volatile: [/countersign-records-\w+/g, /\d{4}-\d\d-\d\dT[\d:.]+Z/g, /"authoring_call_id":"[^"]+"/g, /\\"authoring_call_id\\":\\"[^"]+"/g],
};
