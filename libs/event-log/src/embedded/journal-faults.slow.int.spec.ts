import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInfrastructureFault } from '@countersign/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Collector, eventually, record, records } from '../suite-fixture.js';
import { EmbeddedEventLog } from './embedded-event-log.js';
import type { EmbeddedOptions } from './embedded-options.js';
import { FaultyDisk } from './faulty-disk.js';

let dir: string;
let log: EmbeddedEventLog;
const disk = new FaultyDisk();

async function open(more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedEventLog> {
  log = await EmbeddedEventLog.open({ dir, disk, full_retry_ms: 20, ...more });
  return log;
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'countersign-faults-'));
  Object.assign(disk, { room_bytes: Number.POSITIVE_INFINITY, sync_code: undefined, write_code: undefined });
  await open();
  await log.ensureTopics([{ name: 'a', partitions: 1 }]);
});

afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true });
});

async function journalBytes(): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(dir)) if (name.endsWith('.log')) bytes += (await stat(join(dir, name))).size;
  return bytes;
}

async function refusal(appended: Promise<unknown>): Promise<Error> {
  try {
    await appended;
  } catch (fault) {
    expect(isInfrastructureFault(fault)).toBe(true);
    return fault as Error;
  }
  throw new Error('it was acknowledged');
}

async function values(): Promise<string[]> {
  return (await log.read('a', 0, 0, 10_000)).map(({ value }) => value.toString());
}

test('on a full disk appends are refused, no partial data stays, and the log resumes by itself when there is space', async () => {
  await log.append(records('a', 3, 'before'));
  const whole = await journalBytes();
  disk.room_bytes = 100;
  expect((await refusal(log.append(records('a', 5, 'during')))).message).toBe('the disk that holds the log is full');
  expect([log.health, await journalBytes(), await log.head('a', 0)]).toEqual(['full', whole, 3]);
  await refusal(log.append(records('a', 1, 'refused')));
  await refusal(log.ensureTopics([{ name: 'b', partitions: 1 }]));
  disk.room_bytes = Number.POSITIVE_INFINITY;
  await eventually('it is open again', () => log.health === 'open');
  expect(await log.append(records('a', 1, 'after'))).toEqual([8]);
  const expected = [...[0, 1, 2].map((at) => `before-${at}`), ...[0, 1, 2, 3, 4].map((at) => `during-${at}`), 'after-0'];
  expect(await values()).toEqual(expected);
  await log.close();
  await open();
  expect(await values()).toEqual(expected);
});

test('a disk that becomes full while the next segment is created behaves the same', async () => {
  await log.close();
  await open({ segment_bytes: 500 });
  await log.append(records('a', 10, 'before'));
  disk.room_bytes = 20;
  await refusal(log.append(records('a', 1, 'during')));
  expect(log.health).toBe('full');
  disk.room_bytes = Number.POSITIVE_INFINITY;
  await eventually('it is open again', () => log.health === 'open');
  await log.append(records('a', 1, 'after'));
  await log.close();
  await open();
  expect((await values()).slice(9)).toEqual(['before-9', 'during-0', 'after-0']);
});

test('a log closed while the disk is full keeps exactly the acknowledged records', async () => {
  await log.append(records('a', 3, 'before'));
  disk.room_bytes = 50;
  await refusal(log.append(records('a', 5, 'during')));
  await log.close();
  disk.room_bytes = Number.POSITIVE_INFINITY;
  await open();
  expect(await values()).toEqual(['before-0', 'before-1', 'before-2']);
});

test.each([['sync_code'], ['write_code']] as const)(
  'after a failed write or sync (%s) nothing is taken or tried again until a restart',
  async (which) => {
    await log.append(records('a', 3, 'before'));
    disk[which] = 'EIO';
    const both = [refusal(log.append(records('a', 2, 'lost'))), refusal(log.append(records('a', 2, 'lost too')))];
    await Promise.all(both);
    const { syncs } = disk;
    disk[which] = undefined;
    expect([log.health, (log.failure as NodeJS.ErrnoException).code, await log.head('a', 0)]).toEqual(['failed', 'EIO', 3]);
    await refusal(log.append(records('a', 1, 'later')));
    await refusal(log.ensureTopics([{ name: 'b', partitions: 1 }]));
    expect(disk.syncs).toBe(syncs);
    expect(await values()).toEqual(['before-0', 'before-1', 'before-2']);
    await log.close();
    await open();
    expect(log.opened_clean).toBe(false);
    expect((await values()).slice(0, 3)).toEqual(['before-0', 'before-1', 'before-2']);
    expect((await log.append(records('a', 1, 'again'))).length).toBe(1);
  },
);

test('readers of appended records see them before the sync, readers of durable ones only after it', async () => {
  const [appended, durable] = [new Collector(), new Collector()];
  await log.follow({ topics: ['a'], visibility: 'appended', batch_records_max: 10, from: 'start', onBatch: appended.onBatch });
  await log.follow({ topics: ['a'], visibility: 'durable', batch_records_max: 10, from: 'start', onBatch: durable.onBatch });
  disk.room_bytes = 10;
  const append = refusal(log.append(records('a', 2)));
  await eventually('the appended reader has them', () => appended.values.length === 2);
  await append;
  expect([durable.values.length, (await log.read('a', 0, 0, 10)).length]).toEqual([0, 0]);
  disk.room_bytes = Number.POSITIVE_INFINITY;
  await eventually('the durable reader has them', () => durable.values.length === 2);
  expect(appended.values).toEqual(['r-0', 'r-1']);
});

test('records that in-process readers append in response share the sync of the records they read', async () => {
  await log.ensureTopics(['b', 'c'].map((name) => ({ name, partitions: 1 })));
  const hop = (from: string, to: string) =>
    log.follow({
      topics: [from],
      visibility: 'appended',
      batch_records_max: 10,
      from: 'head',
      onBatch: async () => void log.append(records(to, 1)),
    });
  await hop('a', 'b');
  await hop('b', 'c');
  const { syncs } = disk;
  await log.append(records('a', 1));
  expect([disk.syncs - syncs, await log.head('b', 0), await log.head('c', 0)]).toEqual([1, 1, 1]);
});

test('a record that does not fit is refused as a whole with an error about the record, and the log continues', async () => {
  await log.close();
  await open({ record_bytes_max: 1000 });
  const tooLarge = record('a', Buffer.alloc(1001));
  await expect(log.append([record('a', 'with it'), tooLarge])).rejects.toThrow(RangeError);
  await expect(log.append([{ ...record('a', 'x'), partition: 7 }])).rejects.toThrow('topic a has no partition 7');
  await expect(log.append([record('nowhere', 'x')])).rejects.toThrow('topic nowhere does not exist');
  expect(await log.append([record('a', Buffer.alloc(1000))])).toEqual([0]);
});

test('appends are refused while more than pending_bytes_max waits for the disk', async () => {
  await log.close();
  await open({ pending_bytes_max: 10_000 });
  const first = log.append([record('a', Buffer.alloc(11_000))]);
  expect((await refusal(log.append(records('a', 1)))).message).toMatch(/bytes wait to be written to the log/);
  await first;
  expect(await log.append(records('a', 1))).toEqual([1]);
});

test('distinguishes a first start, clean stop, killed process and crashed machine, and reports the crash until it is handled', async () => {
  const how = () => [log.opened_clean, log.last_stop, log.same_boot];
  expect(how()).toEqual([true, 'first_start', true]);
  await log.close();
  await open();
  expect(how()).toEqual([true, 'clean', true]);
  await log.kill();
  await open();
  expect(how()).toEqual([false, 'killed', true]);
  await log.kill();
  const marker = join(dir, 'stop.json');
  await writeFile(marker, (await readFile(marker, 'utf8')).replace(/"boot_id":"[^"]+"/, '"boot_id":"another"'));
  await open();
  expect(how()).toEqual([false, 'machine_crashed', false]);
  await log.kill();
  await open();
  expect(how()).toEqual([false, 'machine_crashed', true]);
  await log.crashHandled();
  await log.kill();
  await open();
  expect(how()).toEqual([false, 'killed', true]);
  await log.kill();
  await rm(marker);
  await open();
  expect(how()).toEqual([false, 'machine_crashed', true]);
});

test('committed offsets never exceed the durable head, and a damaged offsets file means reading from the start', async () => {
  await log.append(records('a', 5));
  const reader = await new Collector().subscribe(log, 'g', ['a']);
  await reader.running!.caughtUp();
  reader.running!.commit([{ topic: 'a', partition: 0, offset: 99 }]);
  await log.close();
  await open();
  await log.append(records('a', 1, 'next'));
  const again = await new Collector().subscribe(log, 'g', ['a']);
  await again.running!.caughtUp();
  expect(again.values).toEqual(['next-0']);
  await log.close();
  await writeFile(join(dir, 'offsets.json'), '{"g":');
  await open();
  const anew = await new Collector().subscribe(log, 'g', ['a']);
  await anew.running!.caughtUp();
  expect(anew.values.length).toBe(6);
});
