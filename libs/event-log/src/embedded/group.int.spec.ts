import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Collector, eventually, record, records } from '../suite-fixture.js';
import { EmbeddedEventLog } from './embedded-event-log.js';

let dir: string;
let log: EmbeddedEventLog;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'countersign-group-'));
  log = await EmbeddedEventLog.open({ dir, handover_ms: 50, fsync: 'none' });
  await log.ensureTopics([{ name: 'a', partitions: 2 }]);
});

afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true });
});

const never = () => new Promise<void>(() => undefined);

test('a handler that does not end delays a hand-over or a close by at most handover_ms', async () => {
  await log.append([record('a', 'x', 0), record('a', 'y', 1)]);
  const stuck = new Collector();
  stuck.react = never;
  await stuck.subscribe(log, 'g', ['a']);
  await eventually('both are stuck', () => stuck.batches.length === 2);
  const second = await new Collector().subscribe(log, 'g', ['a']);
  await eventually('the second took over one partition', () => second.values.length === 1);
  await stuck.running!.close();
  await eventually('and then the other', () => second.values.length === 2);
  second.react = never;
  await log.append([record('a', 'z', 0)]);
  await log.close();
  expect([...second.values].sort().slice(0, 2)).toEqual(['x', 'y']);
});

test('a member that lost a partition cannot undo commits of its successor', async () => {
  await log.append(records('a', 10));
  const first = await new Collector().subscribe(log, 'g', ['a']);
  await first.running!.caughtUp();
  await first.running!.close();
  const second = await new Collector().subscribe(log, 'g', ['a']);
  await second.running!.caughtUp();
  second.running!.commit([{ topic: 'a', partition: 0, offset: 8 }]);
  first.running!.commit([{ topic: 'a', partition: 0, offset: 2 }]);
  await second.running!.close();
  const third = await new Collector().subscribe(log, 'g', ['a']);
  await third.running!.caughtUp();
  expect(third.values).toEqual(['r-8', 'r-9']);
});

test('commits inside onRevoked and while closing count', async () => {
  await log.append([...records('a', 4), ...records('a', 4, 's', 1)]);
  const first = new Collector();
  await first.subscribe(log, 'g', ['a'], { onRevoked: async () => first.commitAll() });
  await first.running!.caughtUp();
  const second = await new Collector().subscribe(log, 'g', ['a']);
  await second.running!.caughtUp();
  expect(second.values).toEqual([]);
  await first.running!.close();
  await second.running!.caughtUp();
  expect(second.values).toEqual([]);
});

test('staleness is Infinity until a reader first had everything, and grows while a batch is delayed', async () => {
  await log.append(records('a', 1));
  let release: () => void = () => undefined;
  const reader = new Collector();
  reader.react = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  await reader.subscribe(log, 'g', ['a']);
  await eventually('it has the record', () => reader.batches.length === 1);
  expect(reader.running!.staleness_ms('a')).toBe(Number.POSITIVE_INFINITY);
  release();
  await reader.running!.caughtUp();
  expect(reader.running!.staleness_ms('a')).toBe(0);
  await log.append(records('a', 1, 'held'));
  await eventually('it has the second', () => reader.batches.length === 2);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(reader.running!.staleness_ms('a')).toBeGreaterThan(20);
  release();
});

test('a reader that fails repeatedly is reported and does not affect others', async () => {
  const faults: unknown[] = [];
  await log.close();
  log = await EmbeddedEventLog.open({ dir, fsync: 'none', onFault: (error) => faults.push(error) });
  await log.append([record('a', 'bad', 0), record('a', 'good', 1)]);
  const reader = new Collector();
  reader.react = async ({ partition }) => {
    if (partition === 0) throw new Error('no');
  };
  await reader.subscribe(log, 'g', ['a']);
  await eventually('it was tried three times', () => faults.length >= 3);
  expect(reader.values.filter((value) => value === 'good')).toEqual(['good']);
  expect(faults.every((fault) => (fault as Error).message === 'no')).toBe(true);
});
