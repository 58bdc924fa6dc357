import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { claimOf, leaseOf } from '../executions/arbiter.suite.js';
import { claim } from '../executions/claim.js';
import type { Store } from '../store.js';
import { acquire, fenceExpired, heartbeat, oldestHolder, release } from './leases.js';

export function describeLeases(store: () => Store): void {
  test('epochs increase, above any epoch on the log, also when executors start together', async () => {
    const lane = randomUUID();
    const epochs = await Promise.all(Array.from({ length: 8 }, () => leaseOf(store(), lane)));
    expect(new Set(epochs).size).toBe(8);
    const highest = Math.max(...epochs);
    const next = await acquire(store(), { instance_id: 'i', lane, lease_ms: 1_000, epoch_above: highest + 100 });
    expect(next).toBe(highest + 101);
  });

  test('a heartbeat protects a lease from fencing, and a lease without heartbeats is fenced when it expires', async () => {
    const lane = randomUUID();
    const kept = await leaseOf(store(), lane, 100);
    const lost = await leaseOf(store(), lane, 100);
    expect(await heartbeat(store(), kept, 60_000)).toBe(true);
    expect(await fenceExpired(store(), lane, kept)).toEqual([]);
    await new Promise((wait) => setTimeout(wait, 150));
    expect(await fenceExpired(store(), lane, kept)).toEqual([lost]);
    expect(await fenceExpired(store(), lane, kept)).toEqual([]);
    expect(await heartbeat(store(), lost, 60_000)).toBe(false);
    expect(await heartbeat(store(), kept, 60_000)).toBe(true);
  });

  test('an expired lease cannot claim; it can be renewed unless it was fenced, and its owner never fences it', async () => {
    const lane = randomUUID();
    const slow = await leaseOf(store(), lane, 50);
    await new Promise((wait) => setTimeout(wait, 100));
    expect(await claim(store(), slow, [claimOf()])).toEqual([false]);
    expect(await fenceExpired(store(), lane, slow)).toEqual([]);
    expect(await heartbeat(store(), slow, 60_000)).toBe(true);
    expect(await claim(store(), slow, [claimOf()])).toEqual([true]);
    expect(await fenceExpired(store(), lane, 0)).toEqual([]);
  });

  test('of a late heartbeat and a fence one wins: the lease continues or ends permanently', async () => {
    const lane = randomUUID();
    const epochs = await Promise.all(Array.from({ length: 8 }, () => leaseOf(store(), lane, 1)));
    await new Promise((wait) => setTimeout(wait, 20));
    const [alive, fenced] = await Promise.all([
      Promise.all(epochs.map((epoch) => heartbeat(store(), epoch, 60_000))),
      fenceExpired(store(), lane, 0),
    ]);
    expect(epochs.filter((_, at) => alive[at])).toEqual(epochs.filter((epoch) => !fenced.includes(epoch)));
  });

  test('the oldest live lease of a lane names one executor, and the next one when it ends', async () => {
    const lane = randomUUID();
    expect(await oldestHolder(store(), lane)).toBeUndefined();
    const lease = (instance_id: string) => acquire(store(), { instance_id, lane, lease_ms: 60_000, epoch_above: 0 });
    const [first, second] = [await lease('a'), await lease('b')];
    expect(await oldestHolder(store(), lane)).toBe('a');
    await release(store(), first);
    expect(await oldestHolder(store(), lane)).toBe('b');
    await release(store(), second);
    expect(await oldestHolder(store(), lane)).toBeUndefined();
  });
}
