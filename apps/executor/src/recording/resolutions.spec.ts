import { InfrastructureFault } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { Partitions } from '../partitions/partitions.js';
import { Resolutions } from './resolutions.js';

const at = (offset: number) =>
  ({
    event_type: 'resolution_allowed',
    topic: 'policy-decided',
    offset,
    leaf_hash: 'h',
    event: { meta: { call_id: '0-c', partition: 0 }, resolution: 'did_not_happen' },
  }) as never;
const doubt = { key: 'k', attempt: 1, secondary_key: null, compensates: null };

/** Resolutions whose appends give these offsets; undefined: the lease was lost. */
function resolutionsOf(offsets: (number | undefined)[]) {
  const partitions = new Partitions();
  const partition = partitions.get('shared', 0);
  partition.doubts.set('0-c', doubt);
  const appender = { append: async () => offsets.splice(0, 1).map((offset) => offset) };
  const parts = { writer: { resolved: () => ({}) }, appender, clock: { now_ms: () => 1 } };
  return { partition, partitions, resolutions: new Resolutions(parts as never, partitions, async () => true) };
}

test('a resolution that cannot be written leaves the call in doubt, so that it is resolved once it can', async () => {
  const { partition, resolutions } = resolutionsOf([undefined, 0]);
  await expect(resolutions.byPerson(partition, at(3))).rejects.toThrow(InfrastructureFault);
  expect(partition.doubts.get('0-c')).toBe(doubt);
  await resolutions.byPerson(partition, at(3));
  expect([partition.doubts.size, partition.endOf('0-c')]).toMatchObject([0, { state: 'released', end_offset: 0 }]);
});

test('the resolution that another executor wrote before counts: the row gets no second end', async () => {
  const { partition, partitions, resolutions } = resolutionsOf([1]);
  const resolving = resolutions.byPerson(partition, at(3));
  await new Promise(setImmediate);
  const end = { state: 'succeeded' as const, end_offset: 0, ended_at_ms: 1, revision: Number.POSITIVE_INFINITY, row_attempt: 1 };
  partition.ended('0-c', end);
  partition.readTo(2);
  await resolving;
  expect([partition.endOf('0-c'), partitions.takeFold(10).ends]).toEqual([end, []]);
});
