import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Rig } from '../testing/rig.js';
import { SlowLeases, StoppedClock } from '../testing/several-processes.js';

/** Longer than any test delays a response. */
const LEASE_MS = 4_000;
/** A lease that ends long before the timeout of a tool. */
const SHORT_MS = 100;
const HELD_BACK_MS = 250;

let rig: Rig;
let clock: StoppedClock;
beforeEach(async () => {
  rig = await Rig.open();
  clock = new StoppedClock();
});
afterEach(() => rig.close());

async function epochs(): Promise<number[]> {
  const rows = await rig.store.query<{ epoch: number }>({ text: 'SELECT epoch FROM executor_leases ORDER BY epoch', params: [] });
  return rows.map(({ epoch }) => epoch);
}

const started = async (call_id: string) => (await rig.eventsOf(call_id)).filter(({ event_type }) => event_type === 'tool_call_started');

/** An executor whose lease expired while it was blocked, and that cannot find out yet whether it still holds it. */
async function blocked(durable: boolean) {
  const store = new SlowLeases(rig.store, durable);
  await rig.start({ lease_ms: LEASE_MS }, { clock, store });
  await rig.end(await rig.allow('blind_write', 'warm'));
  const answer = store.holdBack();
  const before = store.queries;
  clock.jump(2 * LEASE_MS);
  await rig.until(() => store.queries > before);
  return { store, answer };
}

describe('an executor that was blocked for longer than its lease', () => {
  test('keeps its lease and its running calls if no other process took it: one effect, one epoch, no doubt', async () => {
    const open = rig.world.close();
    await rig.start({ lease_ms: SHORT_MS }, { clock });
    const slow = await rig.allow('blind_write', 'a', { act: 'gate' });
    await rig.until(() => rig.world.effects.length === 1);
    clock.jump(SHORT_MS + 1);
    const next = await rig.end(await rig.allow('blind_write', 'b'));
    open();
    expect([next.event_type, (await rig.end(slow)).event_type]).toEqual(['tool_executed', 'tool_executed']);
    expect([rig.world.effects.length, await epochs()]).toEqual([2, [1]]);
  });

  test.each([
    ['on a store of its own', false],
    ['on a store of several', true],
  ])('fires nothing before it has proven that it holds it, and all of it once it has (%s)', async (_name, durable) => {
    const { answer } = await blocked(durable);
    const before = rig.world.effects.length;
    const rulings = await Promise.all(['x', 'y', 'z'].map((name) => rig.allow('blind_write', name)));
    const read = await rig.allow('test_read', 'r');
    const runs = rig.world.reads.length;
    await new Promise((resolve) => setTimeout(resolve, HELD_BACK_MS));
    expect([rig.world.effects.length, rig.world.reads.length]).toEqual([before, runs]);
    answer();
    const ends = await rig.ends([...rulings, read].map(({ meta }) => meta.call_id as string));
    expect(ends.map(({ event }) => event.outcome.status)).toEqual(ends.map(() => 'succeeded'));
    expect([rig.world.effects.length, await epochs()]).toEqual([before + 3, [1]]);
    for (const { meta } of rulings) expect(await started(meta.call_id as string)).toHaveLength(1);
  });

  test('gives up everything if another process took it: waiting calls run once, under the next epoch', async () => {
    const { answer } = await blocked(true);
    const ruling = await rig.allow('blind_write', 'x');
    await rig.fenceAll();
    expect(rig.world.effectsOf(ruling.call.idempotency_key)).toBe(0);
    answer();
    expect((await rig.end(ruling)).event.outcome.status).toBe('succeeded');
    expect(rig.world.effectsOf(ruling.call.idempotency_key)).toBe(1);
    const [start] = await started(ruling.meta.call_id as string);
    expect(start).toMatchObject({ event: { epoch: 2 } });
    expect(await epochs()).toEqual([1, 2]);
  });

  test('ends its calls under its epoch: an end during an unproven lease is not lost', async () => {
    const open = rig.world.close();
    const store = new SlowLeases(rig.store, false);
    await rig.start({ lease_ms: SHORT_MS }, { clock, store });
    const slow = await rig.allow('blind_write', 'a', { act: 'gate' });
    await rig.until(() => rig.world.effects.length === 1);
    const answer = store.holdBack();
    const before = store.queries;
    clock.jump(SHORT_MS + 1);
    await rig.until(() => store.queries > before);
    open();
    await new Promise((resolve) => setTimeout(resolve, HELD_BACK_MS));
    expect(await rig.eventsOf(slow.meta.call_id as string)).toHaveLength(1);
    answer();
    expect(await rig.end(slow)).toMatchObject({ event_type: 'tool_executed', event: { epoch: 1, outcome: { status: 'succeeded' } } });
    expect([rig.world.effects.length, await epochs()]).toEqual([1, [1]]);
  });
});
