import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logWithAppend } from '../testing/log-with-append.js';
import { PartitionWorld } from '../testing/partition-rig.js';

let world: PartitionWorld;
beforeEach(async () => {
  world = await PartitionWorld.open();
}, 60_000);
afterEach(() => world.close());

test('a snapshot has no transition whose records are not on the log', async () => {
  const first = world.owner();
  await first.open();
  await first.start('saga');
  await first.close();
  const trying: { begun?: () => void } = {};
  const begun = new Promise<void>((resolve) => {
    trying.begun = resolve;
  });
  const refusing = logWithAppend(world.log, () => {
    trying.begun?.();
    return Promise.reject(new Error('the log accepts nothing'));
  });
  const owner = world.owner(refusing);
  await owner.open();
  owner.partition.unsaved.add([...owner.partition.sagas.keys()][0] as string);
  const answered = owner.answer('saga');
  await begun;
  await owner.snapshots.saveAll([owner.partition]);
  await Promise.all([owner.close(), answered]);
  const next = world.owner();
  await next.open();
  expect(next.statusOf('saga')).toBe('open');
  await next.close();
});

describe('records that the log never accepts', () => {
  const tooLarge = JSON.stringify('x'.repeat(9 * 1024 * 1024));
  const request = { event_id: 'e1', correlation_id: 'c1', hlc: 1, topic: 'saga-requested', offset: 0 };

  test('refuse their request, and the other commands of the round are decided', async () => {
    const owner = world.owner();
    await owner.open();
    await Promise.all([owner.start('a'), owner.start('large', 'acme', tooLarge, request), owner.start('b')]);
    expect([owner.open_ids, owner.partition.input_offset]).toEqual([['a', 'b'], 1]);
    const kinds = (await world.log.read('compensation', 0, 0, 100)).map(({ headers }) => headers.event_type);
    expect(kinds.filter((kind) => kind === 'saga_request_refused' || kind === 'saga_started').sort()).toEqual([
      'saga_request_refused',
      'saga_started',
      'saga_started',
    ]);
    await owner.close();
  });

  test('leave their saga as it was', async () => {
    const owner = world.owner();
    await owner.open();
    await owner.start('saga');
    await Promise.all([owner.answer('saga', 'acme', tooLarge), owner.start('other')]);
    expect([owner.statusOf('saga'), owner.open_ids]).toEqual(['open', ['other', 'saga']]);
    await owner.answer('saga');
    expect(owner.open_ids).toEqual(['other']);
    await owner.close();
  });
});
