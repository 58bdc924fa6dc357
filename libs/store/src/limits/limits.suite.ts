import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Store } from '../store.js';
import { changeCounters, type ReservationRow, reservationState } from './counters.js';
import { countedPartitions, countPartition, dropReservations, heldReservations, readCounters } from './limit-rows.js';

const { held, settled } = reservationState;

/** Limits of every adapter of the Store. */
export function describeLimits(store: () => Store): void {
  const counterOf = (tenant_id: string, key = randomUUID() as string) => ({ key, tenant_id, limit_id: 'l', subject: 's', per: '' });
  const rowOf = (lane: string, more: Partial<ReservationRow> = {}): ReservationRow => ({
    call_uuid: randomUUID(),
    lane,
    partition: 1,
    revision: 1,
    state: held,
    verdict: '{}',
    at_s: 100,
    ...more,
  });
  const nothing = { counters: [], reservations: [] };

  test('concurrent changes of several counters lose no change, whatever the order of the counters', async () => {
    const counters = Array.from({ length: 3 }, () => counterOf('acme'));
    const add = (order: typeof counters) =>
      changeCounters(store(), { counters: order, call_uuids: [] }, ({ slots }) => ({
        counters: order.map(({ key }) => ({ key, slots: String(Number(JSON.parse(slots.get(key) as string)) + 1) })),
        reservations: [],
      }));
    await Promise.all(Array.from({ length: 12 }, (_, i) => add(i % 2 === 0 ? counters : [...counters].reverse())));
    await changeCounters(store(), { counters, call_uuids: [] }, ({ slots }) => {
      expect([...slots.values()]).toEqual(['12', '12', '12']);
      return nothing;
    });
  });

  test('a decision that throws writes nothing', async () => {
    const counter = counterOf(randomUUID());
    const failing = changeCounters(store(), { counters: [counter], call_uuids: [] }, () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await readCounters(store(), { ...counter, after: '', limit: 9 })).toEqual([]);
  });

  test('a call has one row: a later revision replaces an earlier one, never the reverse', async () => {
    const row = rowOf(randomUUID());
    const put = (revision: number) =>
      changeCounters(store(), { counters: [], call_uuids: [] }, () => ({ counters: [], reservations: [{ ...row, revision }] }));
    await put(2);
    await expect(put(1)).rejects.toThrow('another process');
    await put(3);
    const seen = { counters: [], call_uuids: [row.call_uuid, randomUUID()] };
    await changeCounters(store(), seen, ({ reservations }) => {
      expect([...reservations.values()]).toEqual([{ ...row, revision: 3 }]);
      return nothing;
    });
  });

  test('the reservations of a partition are found, and old ended reservations are dropped', async () => {
    const lane = randomUUID();
    const [holds, ended, fresh] = [rowOf(lane), rowOf(lane, { state: settled }), rowOf(lane, { state: settled, at_s: 5000 })];
    const rows = [holds, ended, fresh] as ReservationRow[];
    await changeCounters(store(), { counters: [], call_uuids: [] }, () => ({ counters: [], reservations: rows }));
    expect(await heldReservations(store(), lane, 1)).toEqual([holds]);
    await dropReservations(store(), 4000);
    await changeCounters(store(), { counters: [], call_uuids: rows.map((row) => row.call_uuid) }, ({ reservations }) => {
      expect([...reservations.keys()].sort()).toEqual([holds?.call_uuid, fresh?.call_uuid].sort());
      return nothing;
    });
  });

  test('counters of one limit of one tenant are read in pages', async () => {
    const tenant_id = randomUUID();
    const mine = ['a', 'b', 'c'].map((key) => counterOf(tenant_id, `${tenant_id}/${key}`));
    await changeCounters(store(), { counters: [...mine, counterOf('other')], call_uuids: [] }, () => nothing);
    const page = await readCounters(store(), { tenant_id, limit_id: 'l', after: '', limit: 2 });
    expect(page.map(({ key }) => key)).toEqual([`${tenant_id}/a`, `${tenant_id}/b`]);
    const rest = await readCounters(store(), { tenant_id, limit_id: 'l', after: `${tenant_id}/b`, limit: 2 });
    expect(rest.map(({ key }) => key)).toEqual([`${tenant_id}/c`]);
  });

  test('counted partitions are stored by lane', async () => {
    const lane = randomUUID();
    for (const partition of [0, 2, 2]) await countPartition(store(), lane, partition);
    expect(await countedPartitions(store(), lane)).toEqual(new Set([0, 2]));
    expect(await countedPartitions(store(), randomUUID())).toEqual(new Set());
  });
}
