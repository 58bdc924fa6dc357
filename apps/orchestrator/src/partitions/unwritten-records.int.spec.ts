import { afterEach, beforeEach, expect, test } from 'vitest';
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
