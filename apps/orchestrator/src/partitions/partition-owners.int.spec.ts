import { InfrastructureFault } from '@countersign/contracts';
import type { EventLog, NewRecord } from '@countersign/event-log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logWithAppend } from '../testing/log-with-append.js';
import { PartitionWorld } from '../testing/partition-rig.js';

let world: PartitionWorld;
beforeEach(async () => {
  world = await PartitionWorld.open();
}, 60_000);
afterEach(() => world.close());

/** Loses the result of every first append of a batch: the records are on the log, and the writer does not know it. */
function losingReplies(log: EventLog): EventLog {
  const lost = new Set<string>();
  const append = async (records: readonly NewRecord[]) => {
    const offsets = await log.append(records);
    const name = Buffer.from(records[0]?.value ?? '').toString('hex');
    if (lost.has(name)) return offsets;
    lost.add(name);
    throw new Error('the reply was lost');
  };
  return logWithAppend(log, append);
}

describe('two processes that both believe to own a partition', () => {
  test('each reads the partition again when it sees records of the other one, and both come to the same state', async () => {
    const [stale, owner] = [world.owner(), world.owner()];
    await stale.open();
    await stale.start('first');
    await owner.open();
    await owner.start('second');
    await stale.start('third');
    await stale.reread();
    expect(stale.open_ids).toEqual(['first', 'second', 'third']);
    await owner.start('fourth');
    await owner.reread();
    expect(owner.open_ids).toEqual(['first', 'fourth', 'second', 'third']);
    await Promise.all([stale.close(), owner.close()]);
  });

  test('requests that come while one reads the partition again are decided afterwards, each once', async () => {
    const [stale, owner] = [world.owner(), world.owner()];
    await stale.open();
    await owner.open();
    await owner.start('other');
    const offsets = Array.from({ length: 250 }, (_, offset) => offset);
    // The first round has 200 commands.
    await expect(stale.handle(offsets)).rejects.toBeInstanceOf(InfrastructureFault);
    await expect(stale.handle(offsets)).rejects.toBeInstanceOf(InfrastructureFault);
    await stale.reread();
    await stale.handle(offsets);
    expect(stale.open_ids).toEqual(['other', ...offsets.map((offset) => `saga-${offset}`)].sort());
    const kinds = (await world.log.read('compensation', 0, 0, 1_000)).map(({ headers }) => headers.event_type);
    expect(kinds.filter((kind) => kind === 'saga_started' || kind === 'saga_request_refused')).toHaveLength(251);
    await Promise.all([stale.close(), owner.close()]);
  });

  test('an end that one of them recorded is not undone by the other one', async () => {
    const [stale, owner] = [world.owner(), world.owner()];
    await stale.open();
    await stale.start('saga');
    await owner.open();
    await owner.answer('saga');
    expect(owner.statusOf('saga')).toBeUndefined();
    await stale.answer('saga');
    await stale.reread();
    expect(stale.statusOf('saga')).toBeUndefined();
    await Promise.all([stale.close(), owner.close()]);
  });
});

test('a tenant whose 1,000 sagas are due at once does not delay those of another one by more than its share', async () => {
  const owner = world.owner();
  await owner.open();
  const ids = Array.from({ length: 1_000 }, (_, n) => `busy-${n}`);
  await Promise.all([...ids.map((id) => owner.start(id)), ...['x', 'y'].map((id) => owner.start(id, 'globex'))]);
  const decided: string[] = [];
  const answered = (id: string, tenant_id?: string) => owner.answer(id, tenant_id).then(() => decided.push(id));
  await Promise.all([...ids.map((id) => answered(id)), ...['x', 'y'].map((id) => answered(id, 'globex'))]);
  // Both are in the first of six rounds, although 1,000 commands came before them.
  expect([decided.indexOf('x') < 200, decided.indexOf('y') < 200, decided.length]).toEqual([true, true, 1_002]);
  await owner.close();
});

describe('the writer', () => {
  test('repeats an append whose reply was lost, and the repeated records count once', async () => {
    const owner = world.owner(losingReplies(world.log));
    await owner.open();
    await owner.start('saga');
    await owner.reread();
    expect(await world.records()).toBe(4);
    expect(owner.open_ids).toEqual(['saga']);
    await owner.close();
    const next = world.owner();
    await next.open();
    expect(next.open_ids).toEqual(['saga']);
    await next.answer('saga');
    expect(next.open_ids).toEqual([]);
    await next.close();
  });
});

describe('a snapshot', () => {
  test('gives the same sagas as the records, and what came after it is folded', async () => {
    const owner = world.owner();
    await owner.open();
    for (const id of ['a', 'b', 'c']) await owner.start(id);
    await owner.snapshots.saveAll([owner.partition]);
    await owner.answer('b');
    await owner.start('d');
    await owner.close();
    const next = world.owner();
    await next.open();
    expect(next.open_ids).toEqual(['a', 'c', 'd']);
    await next.close();
  });

  test('taken while sagas move loses and doubles nothing', async () => {
    const owner = world.owner();
    await owner.open();
    const ids = Array.from({ length: 250 }, (_, n) => `s${n}`);
    await Promise.all(ids.map((id) => owner.start(id)));
    const [saving] = [owner.snapshots.saveAll([owner.partition])];
    await Promise.all([saving, ...ids.slice(0, 200).map((id) => owner.answer(id))]);
    await owner.close();
    const next = world.owner();
    await next.open();
    expect(next.open_ids).toEqual(ids.slice(200).sort());
    await next.close();
  });

  test('that is ahead of the log is not used', async () => {
    const owner = world.owner();
    await owner.open();
    await owner.start('a');
    await owner.snapshots.saveAll([owner.partition]);
    expect(await owner.snapshots.load('shared', 0, 1)).toBeUndefined();
    expect(await owner.snapshots.load('shared', 0, 100)).toBeUndefined();
    await owner.close();
  });
});
