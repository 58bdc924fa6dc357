import { expect, test } from 'vitest';
import type { Job } from '../calls/job.js';
import { Partitions } from '../partitions/partitions.js';
import { PreExecutionGate } from './pre-execution-gate.js';

const job = (tenant_id: string): Job =>
  ({ tenant_id, stage: 'gated', resends: 0, judged_position: 1, judged_at_ms: 1000, call: { deadline_ms: null }, authorised: {} }) as never;

test('a durable start does not run while the record of its tenant is damaged, and runs once the damage is accepted', () => {
  const damaged = new Set(['acme']);
  const judge = { silent: false, position: 1 };
  const hold = { holds: (tenant_id: string) => damaged.has(tenant_id) };
  const gate = new PreExecutionGate(judge as never, { hold } as never, new Partitions(), { now_ms: () => 1000, monotonic_ms: () => 0 });
  const held = job('acme');
  expect([gate.pass(held), gate.pass(job('other'))]).toEqual(['gate_closed', 'may_fire']);
  gate.hold(held);
  expect(gate.due()).toEqual([]);
  damaged.clear();
  expect(gate.due()).toEqual([held]);
  expect(gate.pass(held)).toBe('may_fire');
});
