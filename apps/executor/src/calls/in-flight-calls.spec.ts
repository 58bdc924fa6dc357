import { expect, test } from 'vitest';
import { InFlightCalls } from './in-flight-calls.js';
import type { Job } from './job.js';

const job = (call_id: string, more: Partial<Record<'stage' | 'leader_call_id', string>> = {}): Job =>
  ({ call_id, key: 'k', stage: 'claiming', leader_call_id: '', ...more }) as never;

test('a call joins the open call of its key, unless that one waits for it: a deadlock', () => {
  const open = new InFlightCalls(1);
  const waiting = job('b', { stage: 'joined', leader_call_id: 'a' });
  open.add(waiting, true);
  expect(open.leaderFor(job('c'))).toBe(waiting);
  expect(open.leaderFor(job('a'))).toBeUndefined();
  const further = job('b2', { stage: 'joined', leader_call_id: 'b' });
  open.add(further, true);
  expect(open.leaderFor(job('a'))).toBeUndefined();
  expect(open.leaderFor(job('b2'))).toBeUndefined();
});
