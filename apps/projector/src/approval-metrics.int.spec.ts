import { callId, uuidv7 } from '@countersign/contracts';
import { PgliteStore, type RequestedApproval, type Sql, stableTables, upsertApprovals } from '@countersign/store';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureApprovals, PendingReader } from './approval-metrics.js';

const NOW_MS = 1_000_000;
const time = { monotonic_ms: 0, now_ms: NOW_MS };
const clock = { now_ms: () => time.now_ms, monotonic_ms: () => time.monotonic_ms };
const requirement = { decision_id: 'd', approver_roles: [], people: [], quorum: 1, reversibility: 'reversible', barred: [] };

let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
});
afterAll(() => store.close());

function row(approval_id: string, tenant_id: string, [requested_at_ms, expires_at_ms]: [number, number | null], ended = false) {
  const call_id = callId(2, uuidv7(requested_at_ms));
  const request = { call_id, revision: 1, requested_at_ms, expires_at_ms, requirement: requirement as unknown as RequestedApproval };
  const end = ended ? { kind: 'granted' as const, at_ms: NOW_MS, by: null, reason: null } : null;
  return { approval_id, tenant_id, partition: 2, request, end };
}
const recorded = (rows: readonly object[]) => store.atomically([stableTables(['approvals']).bind(upsertApprovals(rows as never))]);

const seriesOf = async (register: Registry) =>
  (await register.metrics())
    .split('\n')
    .filter((line) => line.startsWith('countersign_approvals'))
    .sort();

test('pending requests of all tenants are counted by status, with the age of the oldest; a tenant is no label', async () => {
  const register = new Registry();
  measureApprovals(store, clock, register);
  const none = await seriesOf(register);
  expect(none).toEqual(none.map((line) => line.replace(/ .*/, ' 0')));
  await recorded([
    row('a1', 'acme', [400_000, 2_000_000]),
    row('a2', 'rival', [900_000, null]),
    row('a3', 'acme', [700_000, 800_000]),
    row('a4', 'acme', [100_000, 2_000_000], true),
  ]);
  expect(await seriesOf(register)).toEqual(none);
  time.monotonic_ms = 10_000;
  expect(await seriesOf(register)).toEqual([
    'countersign_approvals_oldest_pending_seconds{status="overdue"} 300',
    'countersign_approvals_oldest_pending_seconds{status="pending"} 600',
    'countersign_approvals_pending{status="overdue"} 1',
    'countersign_approvals_pending{status="pending"} 2',
  ]);
});

test('many scrapes read the rows once in ten seconds, and a store that does not respond delays none of them', async () => {
  let reads = 0;
  const counted = { query: async () => [{ pending: ++reads }] } as unknown as Sql;
  const reader = new PendingReader(counted, clock);
  await Promise.all(Array.from({ length: 50 }, () => reader.pending()));
  expect([(await reader.pending())?.pending, reads]).toEqual([1, 1]);
  time.monotonic_ms += 10_000;
  expect((await reader.pending())?.pending).toBe(2);
  const silent = new PendingReader({ query: () => new Promise(() => undefined) } as unknown as Sql, clock);
  expect(await silent.pending(1)).toBeUndefined();
  const failing = new PendingReader({ query: () => Promise.reject(new Error('unavailable')) } as unknown as Sql, clock);
  expect(await failing.pending()).toBeUndefined();
});
