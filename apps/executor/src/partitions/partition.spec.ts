import { expect, test } from '@jest/globals';
import { Partition } from './partition.js';
import { Partitions } from './partitions.js';

const started = (partition: Partition, call_id: string, offset: number) =>
  partition.starts.set(call_id, { epoch: 1, offset, fired_at_ms: 0, process: null });

test('a start is known once everything below it was written here or read', async () => {
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

test('a partition that went to another executor is read as long as own records stand behind those of others', () => {
  const partitions = new Partitions();
  const [kept, lost] = [new Partition('shared', 0), new Partition('shared', 1)];
  for (const partition of [kept, lost]) partitions.put(partition);
  lost.assigned = false;
  expect([partitions.toRead(false), partitions.toRead(true)]).toEqual([[], [kept]]);
  lost.wrote(5);
  expect(partitions.toRead(false)).toEqual([lost]);
});
