import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RecordsDropped } from '../event-log.js';
import { EmbeddedEventLog } from './embedded-event-log.js';

const record = (topic: string, text: string) => ({
  topic,
  partition: 0,
  key: null,
  value: Buffer.from(text),
  headers: { event_type: 'x' },
});

describe('dropping old segments', () => {
  let dir: string;
  const open = () => EmbeddedEventLog.open({ dir, segment_bytes: 2000, tail_bytes: 1000, chunk_bytes: 256, clock: () => 5 });
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'drop-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  async function filled(): Promise<EmbeddedEventLog> {
    const log = await open();
    await log.ensureTopics([
      { name: 'calls', partitions: 1 },
      { name: 'settings', partitions: 1 },
    ]);
    for (let at = 0; at < 100; at++)
      await log.append([record('calls', `call ${at} ${'x'.repeat(100)}`), record('settings', `setting ${at}`)]);
    return log;
  }
  const below = (offset: number) => ({ below: () => offset, carries: (topic: string) => topic === 'settings' });
  const files = async () => (await readdir(dir)).filter((name) => name.endsWith('.log')).length;
  const texts = async (log: EmbeddedEventLog, topic: string, from: number) =>
    (await log.read(topic, 0, from, 1000)).map(({ value }) => value.toString());

  async function followed(log: EmbeddedEventLog, topic: string): Promise<number[]> {
    const offsets: number[] = [];
    const onBatch = async ({ records }: { records: readonly { offset: number }[] }) =>
      void offsets.push(...records.map(({ offset }) => offset));
    const run = await log.follow({ topics: [topic], visibility: 'durable', batch_records_max: 10, from: 'start', onBatch });
    await run.caughtUp();
    await run.close();
    return offsets;
  }

  test('whole files are dropped, carried records and offsets stay, and a dropped record reports the first remaining offset', async () => {
    let log = await filled();
    const before = await files();
    const dropped = await log.drop(below(60));
    expect(dropped.segments).toBeGreaterThan(0);
    expect(await files()).toBe(before - dropped.segments);
    for (let life = 0; life < 2; life++) {
      const first = await log.first('calls', 0);
      expect([first > 0, first <= 60]).toEqual([true, true]);
      await expect(log.read('calls', 0, first - 1, 5)).rejects.toMatchObject({ first });
      await expect(log.read('calls', 0, 0, 5)).rejects.toBeInstanceOf(RecordsDropped);
      expect((await texts(log, 'calls', first))[0]).toContain(`call ${first} `);
      expect(await texts(log, 'calls', first)).toHaveLength(100 - first);
      expect(await texts(log, 'settings', 0)).toEqual(Array.from({ length: 100 }, (_, at) => `setting ${at}`));
      expect(await followed(log, 'settings')).toEqual(Array.from({ length: 100 }, (_, at) => at));
      expect((await followed(log, 'calls'))[0]).toBe(first);
      expect(await log.since('calls', 0, 0)).toBe(first);
      await log.close();
      log = await open();
    }
    expect((await log.drop(below(95))).segments).toBeGreaterThan(0);
    expect(await texts(log, 'settings', 0)).toHaveLength(100);
    expect(await log.append([record('settings', 'more')])).toEqual([100]);
    await log.close();
  });

  test('nothing is dropped that a reader has not passed or that lies beyond the given offset', async () => {
    const log = await filled();
    expect(await log.drop(below(0))).toEqual({ segments: 0, bytes: 0 });
    let passed = () => {};
    const first = new Promise<void>((resolve) => {
      passed = resolve;
    });
    const slow = { topics: ['calls'], visibility: 'durable' as const, batch_records_max: 1, from: 'start' as const, onBatch: () => first };
    const run = await log.follow(slow);
    expect(await log.drop(below(100))).toEqual({ segments: 0, bytes: 0 });
    passed();
    await run.caughtUp();
    await run.close();
    expect((await log.drop(below(100))).segments).toBeGreaterThan(0);
    await log.close();
  });

  test('carried records stay on disk and are read from any offset in any pages, also from a file of an earlier release', async () => {
    const log = await open();
    await log.ensureTopics([
      { name: 'calls', partitions: 1 },
      { name: 'settings', partitions: 1 },
    ]);
    const long = (at: number) => `setting ${at} ${'ä'.repeat(at % 7 === 0 ? 40_000 : 40)}`;
    for (let at = 0; at < 300; at++) await log.append([record('calls', 'x'), record('settings', long(at))]);
    expect((await log.drop(below(300))).segments).toBeGreaterThan(10);
    const carried = path.join(dir, 'carried.records');
    for (let life = 0; life < 2; life++) {
      for (const [from, count] of [
        [0, 300],
        [63, 2],
        [64, 1],
        [200, 90],
        [299, 5],
      ] as const)
        expect((await log.read('settings', 0, from, count)).map(({ offset, value }) => [offset, value.toString()])).toEqual(
          Array.from({ length: Math.min(count, 300 - from) }, (_, at) => [from + at, long(from + at)]),
        );
      expect(await followed(log, 'settings')).toEqual(Array.from({ length: 300 }, (_, at) => at));
    }
    await log.close();
    const [header, ...lines] = (await readFile(carried, 'utf8')).trimEnd().split('\n') as [string, ...string[]];
    const body = lines.join('\n');
    const digest = createHash('sha256').update(body).digest('hex');
    await writeFile(carried, `${JSON.stringify({ ...JSON.parse(header), digest })}\n${body}`);
    const again = await open();
    expect(await texts(again, 'settings', 290)).toEqual(Array.from({ length: 10 }, (_, at) => long(290 + at)));
    await again.close();
    await writeFile(
      carried,
      (await readFile(carried, 'utf8')).replace('setting', 'Setting').replace(lines[5] as string, lines[4] as string),
    );
    await expect(open()).rejects.toThrow('is damaged');
  });

  test('files that a crash left behind are removed; the log does not open without its carried records', async () => {
    const log = await filled();
    await log.drop(below(100));
    await log.close();
    await writeFile(path.join(dir, '0000000000000000.log'), 'left behind');
    const again = await open();
    expect(await texts(again, 'settings', 0)).toHaveLength(100);
    await again.close();
    expect(await readdir(dir)).not.toContain('0000000000000000.log');
    await writeFile(path.join(dir, 'carried.records'), '{"base":1,"digest":"x"}\n');
    await expect(open()).rejects.toThrow('is damaged');
    await rm(path.join(dir, 'carried.records'));
    await expect(open()).rejects.toThrow('is incomplete: its first segment');
  });
});
