import { expect, test } from 'vitest';
import { Partition } from './partition.js';
import { Partitions } from './partitions.js';

const started = (partition: Partition, call_id: string, offset: number) =>
  partition.starts.set(call_id, { epoch: 1, offset, fired_at_ms: 0, process: null });

test('a start is known once all records below it were written here or read', async () => {
  const partition = new Partition('shared', 0);
  started(partition, 'a', 2);
  expect(partition.startKnown('b')).toBeUndefined();
  const known = partition.startKnown('a');
  partition.wrote(2);
  partition.wrote(1);
  partition.next_end = 2;
  expect(partition.startKnown('a')).toBeInstanceOf(Promise);
  partition.next_end = 3;
  await known;
  expect(partition.startKnown('a')).toBeUndefined();
});

test('a partition that moved to another executor is read while own records follow records of others', async () => {
  const partitions = new Partitions();
  await partitions.assign('shared', [0, 1], async (lane, number) => new Partition(lane, number));
  const [kept, lost] = [partitions.get('shared', 0), partitions.get('shared', 1)];
  await partitions.revoke('shared', [1]);
  expect([partitions.toRead(false), partitions.toRead(true)]).toEqual([[], [kept]]);
  lost.wrote(5);
  expect(partitions.toRead(false)).toEqual([lost]);
});

test('the rest of a revoked partition is kept until it is opened again, even if that fails at first', async () => {
  const partitions = new Partitions();
  const open = async (lane: string, number: number) => new Partition(lane, number);
  await partitions.assign('shared', [0], open);
  const former = partitions.get('shared', 0);
  await partitions.revoke('shared', [0]);
  expect([partitions.get('shared', 0) === former, former.assigned, partitions.assigned()]).toEqual([true, false, []]);
  await expect(partitions.assign('shared', [0], () => Promise.reject(new Error('no store')))).rejects.toThrow('no store');
  expect(partitions.get('shared', 0)).toBe(former);
  await partitions.assign('shared', [0], open);
  expect([partitions.get('shared', 0) === former, partitions.get('shared', 0).assigned]).toEqual([false, true]);
});

test('a read skips own records, and forgets that they were ahead', () => {
  const partition = new Partition('shared', 0);
  partition.wrote(3);
  partition.wrote(7);
  expect([0, 3, 4].map((offset) => partition.isUnread(offset))).toEqual([true, false, true]);
  partition.readTo(5);
  expect([partition.next_end, [...partition.ahead]]).toEqual([5, [7]]);
  partition.readTo(2);
  expect(partition.next_end).toBe(5);
});

test('the end of a row replaces an end of its call that names another row; a second end of the same row does not', () => {
  const partition = new Partition('shared', 0);
  const end = { ended_at_ms: 1, revision: Number.POSITIVE_INFINITY };
  partition.ended('a', { ...end, state: 'released', end_offset: 3, row_attempt: 2 });
  partition.ended('a', { ...end, state: 'succeeded', end_offset: 5, row_attempt: 1 });
  partition.ended('a', { ...end, state: 'released', end_offset: 6, row_attempt: 1 });
  expect(partition.endOf('a')).toMatchObject({ state: 'succeeded', end_offset: 5 });
});
