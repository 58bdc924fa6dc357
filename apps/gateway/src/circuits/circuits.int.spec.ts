import { CIRCUIT_DEFAULTS, circuitSlotAt } from '@countersign/domain';
import { changeCircuits, PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { CircuitReader } from './circuit-reader.js';
import { CircuitsModule } from './circuits.module.js';

const NOW_MS = 1_700_000_000_000;
let store: PgliteStore;
let app: FeatureApp;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  app = await FeatureApp.open([CircuitsModule], [{ provide: CircuitReader, useValue: new CircuitReader(store, { now_ms: () => NOW_MS }) }]);
  const slots = JSON.stringify([{ slot: circuitSlotAt(NOW_MS, CIRCUIT_DEFAULTS), succeeded: 3, failed: 2 }]);
  const open = (tool: string, open_until_ms: number | null, tenant_id = 'acme') => {
    const opened_at_ms = open_until_ms === null ? null : NOW_MS - 40_000;
    const after = { slots, failing_since_ms: NOW_MS, openings: open_until_ms === null ? 0 : 1, opened_at_ms, open_until_ms };
    return { tenant_id, tool, version: '1.0.0', revision: null, after };
  };
  await changeCircuits(store, [
    open('broken', NOW_MS + 5_000),
    open('half', NOW_MS - 10_000),
    open('failing', null),
    open('forgotten', NOW_MS - CIRCUIT_DEFAULTS.forget_ms),
    open('others', NOW_MS + 5_000, 'rival'),
  ]);
});
afterAll(async () => {
  await app.close();
  await store.close();
});

test('the circuits of the tenant that failed lately or are open are listed, with their state now', async () => {
  const { status, body } = await app.send('GET', '/v1/circuits', { role: 'agent' });
  expect([status, body.next_cursor]).toEqual([200, null]);
  expect(body.items.map(({ tool, state }: { tool: string; state: string }) => [tool, state])).toEqual([
    ['broken', 'open'],
    ['failing', 'closed'],
    ['forgotten', 'closed'],
    ['half', 'half_open'],
  ]);
  expect(body.items[0]).toEqual({
    tool: 'broken',
    version: '1.0.0',
    state: 'open',
    openings: 1,
    opened_at: new Date(NOW_MS - 40_000).toISOString(),
    half_open_at: new Date(NOW_MS + 5_000).toISOString(),
    outcomes: { succeeded: 3, failed: 2 },
  });
});

test('the list has pages', async () => {
  const first = await app.send('GET', '/v1/circuits?limit=3', { role: 'agent' });
  const second = await app.send('GET', `/v1/circuits?limit=3&cursor=${first.body.next_cursor}`, { role: 'agent' });
  expect([first.body.items.length, second.body.items.length, second.body.next_cursor]).toEqual([3, 1, null]);
});
