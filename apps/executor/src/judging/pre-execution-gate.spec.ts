import { expect, test } from 'vitest';
import type { Job } from '../calls/job.js';
import { Partitions } from '../partitions/partitions.js';
import { PreExecutionGate } from './pre-execution-gate.js';

const job = (
  tenant_id: string,
  more: Partial<Pick<Job, 'call_id' | 'attempt' | 'epoch' | 'resends' | 'maybe_happened' | 'cancelled'>> = {},
): Job => {
  const judged = { judged_position: 1, judged_at_ms: 1000 };
  const call = { call: { deadline_ms: null }, authorised: {}, lane: 'shared', partition: 0 };
  return { tenant_id, stage: 'gated', resends: 0, ...judged, ...call, ...more } as never;
};
const judge = { silent: false, position: 1 };
const clock = { now_ms: () => 1000, monotonic_ms: () => 0 };

test('a durable start does not run while the record of its tenant is damaged, and runs once the damage is accepted', () => {
  const damaged = new Set(['acme']);
  const hold = { holds: (tenant_id: string) => damaged.has(tenant_id) };
  const gate = new PreExecutionGate(judge as never, { hold } as never, new Partitions(), clock);
  const held = job('acme');
  expect([gate.pass(held), gate.pass(job('other'))]).toEqual(['gate_closed', 'may_fire']);
  gate.hold(held);
  expect(gate.due()).toEqual([]);
  damaged.clear();
  expect(gate.due()).toEqual([held]);
  expect(gate.pass(held)).toBe('may_fire');
});

test('a resend does not run if its row has ended meanwhile, also while it is held; an end without its row does not stop it', () => {
  const partitions = new Partitions();
  let damaged = false;
  const gate = new PreExecutionGate(judge as never, { hold: { holds: () => damaged } } as never, partitions, clock);
  const resend = job('acme', { call_id: 'c', attempt: 2, resends: 1, maybe_happened: true });
  const ended = (row_attempt: number, end_offset: number) => {
    const end = { state: 'in_doubt' as const, end_offset, ended_at_ms: 1, revision: Number.POSITIVE_INFINITY, row_attempt };
    partitions.of(resend).ended('c', end);
  };
  ended(1, 5);
  expect(gate.pass(resend)).toBe('may_fire');
  damaged = true;
  expect(gate.pass(resend)).toBe('gate_closed');
  gate.hold(resend);
  expect(gate.due()).toEqual([]);
  ended(2, 6);
  expect(gate.due()).toEqual([resend]);
  expect(gate.pass(resend)).toBe('recorded_elsewhere');
});

test('a call without an effect that is sent again runs only while it may; one whose effect may have happened is sent to learn its outcome', () => {
  const refused = { kind: 'ended', outcome: { status: 'cancelled' } };
  const gate = new PreExecutionGate(judge as never, { hold: { holds: () => false } } as never, new Partitions(), clock);
  const cancelled = { attempt: 1, resends: 1, cancelled: true };
  const without = job('acme', { ...cancelled, call_id: 'a', maybe_happened: false });
  expect(gate.pass(without)).toBe('stopped_before_fire');
  expect(without.verdict).toMatchObject(refused);
  expect(gate.pass(job('acme', { ...cancelled, call_id: 'b', maybe_happened: true }))).toBe('may_fire');
});

test('a call that another executor started under a later epoch does not run here', () => {
  const partitions = new Partitions();
  const gate = new PreExecutionGate(judge as never, { hold: { holds: () => false } } as never, partitions, clock);
  const taken = job('acme', { call_id: 'c', epoch: 7 });
  const start = { epoch: 7, offset: -1, fired_at_ms: 0, process: null };
  partitions.of(taken).starts.set('c', start);
  expect(gate.pass(taken)).toBe('may_fire');
  partitions.of(taken).starts.set('c', { ...start, epoch: 8 });
  expect(gate.pass(taken)).toBe('lease_lost');
});
