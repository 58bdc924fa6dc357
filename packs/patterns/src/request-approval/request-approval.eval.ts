import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';
import { expect } from '@countersign/tool-kit/expect';
import { scratchRecords } from '../scratch-records.js';

const key = '11111111-2222-4333-8444-555555555555';
const subject = { kind: 'action', id: `act_${key}` };

const minutesOf = (output: unknown): number => {
  const { created_at, due_at } = output as { created_at: string; due_at: string };
  return (Date.parse(due_at) - Date.parse(created_at)) / 60_000;
};

export const requestApprovalEval: ContractTestOptions = {
  golden: [
    {
      title: 'for a staged action, by the SLA of the queue',
      input: { subject, queue: 'payments', rationale: 'It is above the limit.' },
      output: { state: 'open', queue: 'payments', subject, evidence: [] },
      expects: (output) => expect(minutesOf(output)).toBe(60),
    },
    {
      title: 'for a ruling, by an SLA of its own',
      input: {
        subject: { kind: 'decision', id: '0-01a2007f-b3c2-7001-9a67-44e55dc07cca.1' },
        queue: 'legal',
        rationale: 'Unusual.',
        sla_minutes: 5,
      },
      expects: (output) => expect(minutesOf(output)).toBe(5),
    },
  ],
  states: [
    {
      title: 'two tasks for one subject',
      a: { subject, queue: 'payments', rationale: 'It is above the limit.' },
      b: { subject, queue: 'payments', rationale: 'Look again.' },
    },
  ],
  counterpart: scratchRecords({ [`actions/${key}.json`]: { action_id: subject.id } }),
  generated_runs: 20,
  volatile: [/countersign-records-\w+/g, /\d{4}-\d\d-\d\dT[\d:.]+Z/g, /requesting_call_id\\*":\\*"[^"]+"/g],
};
