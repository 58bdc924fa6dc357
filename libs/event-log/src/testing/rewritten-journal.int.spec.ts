import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmbeddedEventLog } from '../embedded/embedded-event-log.js';
import type { LogRecord } from '../event-log.js';
import { type Edit, readJournal, rewriteJournal } from './rewritten-journal.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'rewritten-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = () => EmbeddedEventLog.open({ dir, segment_bytes: 2_000, chunk_bytes: 512, fsync: 'none' });

async function written(): Promise<void> {
  const log = await open();
  await log.ensureTopics([{ name: 'a', partitions: 2 }]);
  for (let n = 0; n < 40; n++) {
    if (n === 20) await log.ensureTopics([{ name: 'b', partitions: 1 }]);
    const topic = n > 20 && n % 3 === 0 ? 'b' : 'a';
    await log.append([
      { topic, partition: topic === 'a' ? n % 2 : 0, key: null, value: Buffer.from(`value ${n}`.padEnd(80)), headers: { n: `${n}` } },
    ]);
  }
  await log.close();
}

async function read(): Promise<Record<string, string[]>> {
  const log = await open();
  const values = async (topic: string, partition: number) =>
    (await log.read(topic, partition, 0, 1000)).map(({ value, offset }) => `${offset} ${value.toString().trim()}`);
  const found = { 'a/0': await values('a', 0), 'a/1': await values('a', 1), 'b/0': await values('b', 0) };
  await log.close();
  return found;
}

const at =
  (topic: string, partition: number, offset: number, edit: Edit): Edit =>
  (record) =>
    record.topic === topic && record.partition === partition && record.offset === offset ? edit(record) : [record];
const numbered = (values: readonly string[]) => values.map((value, offset) => `${offset} ${value.replace(/^\d+ /, '')}`);

test('a journal that is written again without a change has the same records', async () => {
  await written();
  const before = await read();
  await rewriteJournal(dir, (record) => [record]);
  expect(await read()).toEqual(before);
  expect((await readJournal(dir)).length).toBe(40);
});

test.each<[string, Edit, (values: string[]) => string[]]>([
  [
    'changed',
    (record) => [{ ...record, value: Buffer.from('a longer value'.padEnd(300)) } as LogRecord],
    (all) => all.with(3, '3 a longer value'),
  ],
  ['dropped', () => [], (all) => all.toSpliced(3, 1)],
  ['doubled', (record) => [record, record], (all) => all.toSpliced(3, 0, all[3] as string)],
])('a record can be %s, and the log opens', async (_, edit, expected) => {
  await written();
  const before = await read();
  await rewriteJournal(dir, at('a', 1, 3, edit));
  expect(await read()).toEqual({ ...before, 'a/1': numbered(expected(before['a/1'] as string[])) });
});
