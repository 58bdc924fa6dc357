import { expect, test } from 'vitest';
import type { Job } from '../calls/job.js';
import { Partitions } from '../partitions/partitions.js';
import { UndoneEffects } from './undone-effects.js';

const effect = { call_id: '0-effect', idempotency_key: 'k', attempt: 1, late_offset: null, kind: 'own', also: null };
const end = { state: 'succeeded' as const, end_offset: 4, ended_at_ms: 1, revision: Number.POSITIVE_INFINITY, row_attempt: 1 };

test('an undo is judged once everything before its start is read: another executor may have ended the call of its effect', async () => {
  const partitions = new Partitions();
  const partition = partitions.get('shared', 0);
  const running = { key: 'k', attempt: 1, call_id: effect.call_id, state: 'running' };
  const outcome = { effect: 'happened', output_json: '{"id":1}', truncated: false, attachments: [] };
  const recorded = { event_type: 'tool_executed', event: { meta: { call_id: effect.call_id }, outcome, also: null } };
  const effects = new UndoneEffects({
    arbiter: { rowsOf: async () => new Map([['k', [running]]]) },
    reader: { endEventAt: async () => recorded },
    partitions,
    now_ms: () => 1,
  } as never);
  const undo = { call_id: '0-undo', lane: 'shared', partition: 0, call: { compensates: effect } } as unknown as Job;
  partition.starts.set('0-undo', { epoch: 1, offset: 5, fired_at_ms: 0, process: null });
  const ready = effects.ready(undo);
  await new Promise(setImmediate);
  partition.ended(effect.call_id, end);
  partition.readTo(6);
  expect(await ready).toBe('look_again');
  expect(undo.undone).toMatchObject({ output: { id: 1 } });
});
