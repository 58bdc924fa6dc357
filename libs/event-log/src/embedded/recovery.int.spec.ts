import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { record } from '../suite-fixture.js';
import { NodeDisk } from './disk.js';
import { EmbeddedEventLog } from './embedded-event-log.js';
import { recover } from './recovery.js';
import { segmentName } from './segment.js';

const made: string[] = [];
const FIRST = segmentName(0);

async function directory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'countersign-cut-'));
  made.push(dir);
  return dir;
}

afterEach(async () => {
  for (const dir of made.splice(0)) await rm(dir, { recursive: true });
});

/** A small log, and after each acknowledged append the size of the journal and the records of both topics. */
async function smallLog(segment_bytes?: number) {
  const dir = await directory();
  const log = await EmbeddedEventLog.open({ dir, segment_bytes: segment_bytes ?? 1_000_000 });
  const acknowledged: { bytes: number; a: number; b: number }[] = [];
  const note = async () => acknowledged.push({ bytes: await journalBytes(dir), a: await log.head('a', 0), b: await log.head('b', 0) });
  await log.ensureTopics([{ name: 'a', partitions: 1 }]);
  await log.ensureTopics([{ name: 'b', partitions: 1 }]);
  await note();
  for (let at = 0; at < 6; at++) {
    await log.append([record('a', `a${at}`), record('b', `b${at}`), record('a', `a${at}+`)].slice(0, 1 + (at % 3)));
    await note();
  }
  await log.kill();
  return { dir, acknowledged };
}

async function segmentFiles(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => name.endsWith('.log')).sort();
}

async function journalBytes(dir: string): Promise<number> {
  let bytes = 0;
  for (const name of await segmentFiles(dir)) bytes += (await stat(join(dir, name))).size;
  return bytes;
}

/** Opens only the segment files and returns the head of each topic. */
async function open(dir: string, closed_end: number | null = null) {
  const { segments, table } = await recover({ dir, disk: new NodeDisk(), chunk_bytes: 65536, closed_end, dropped_below: 0 });
  for (const { file } of segments) await file.close();
  const next = (topic: string) => (table.has(topic) ? table.stream(topic, 0).next : 0);
  return { a: next('a'), b: next('b') };
}

/** The state that a journal of this many bytes holds: that of the last append that fits completely. */
function expectedAt(acknowledged: Awaited<ReturnType<typeof smallLog>>['acknowledged'], bytes: number) {
  const fits = acknowledged.filter((state) => state.bytes <= bytes);
  const { a, b } = fits[fits.length - 1] ?? { a: 0, b: 0 };
  return { a, b };
}

test('a log cut at any byte opens and holds exactly the appends before the cut', async () => {
  const { dir, acknowledged } = await smallLog();
  const whole = await readFile(join(dir, FIRST));
  expect(acknowledged[acknowledged.length - 1]!.bytes).toBe(whole.length);
  const cut = await directory();
  for (let bytes = whole.length; bytes >= 0; bytes--) {
    await writeFile(join(cut, FIRST), whole.subarray(0, bytes));
    expect({ bytes, ...(await open(cut)) }).toEqual({ bytes, ...expectedAt(acknowledged, bytes) });
  }
});

test('bytes of a torn write after the last append are cut, whatever they contain', async () => {
  const { dir, acknowledged } = await smallLog();
  const whole = await readFile(join(dir, FIRST));
  const last = whole.subarray(acknowledged[acknowledged.length - 2]!.bytes);
  for (const torn of [Buffer.alloc(5000), Buffer.from('BLK1 not a block'), last, last.subarray(0, 60)]) {
    await writeFile(join(dir, FIRST), Buffer.concat([whole, torn]));
    expect(await open(dir)).toEqual(expectedAt(acknowledged, whole.length));
    expect((await stat(join(dir, FIRST))).size).toBe(whole.length);
  }
});

test('a flipped byte before the last append is refused, and one in the last append is detected if the log was closed', async () => {
  const { dir, acknowledged } = await smallLog();
  const whole = await readFile(join(dir, FIRST));
  const lastAppend = acknowledged[acknowledged.length - 2]!.bytes;
  const damaged = await directory();
  for (let at = 0; at < whole.length; at++) {
    const bytes = Buffer.from(whole);
    bytes[at]! ^= 1 << (at % 8);
    await writeFile(join(damaged, FIRST), bytes);
    if (at < lastAppend) await expect(open(damaged)).rejects.toThrow(/damaged: 0{16}\.log at byte \d+ has no valid block/);
    else {
      await expect(open(damaged, whole.length)).rejects.toThrow('its last records are damaged or missing');
      expect(await open(damaged)).toEqual(expectedAt(acknowledged, lastAppend));
    }
  }
});

test('a journal of several segments cut at any byte opens with the appends before the cut', async () => {
  const { dir, acknowledged } = await smallLog(300);
  const names = await segmentFiles(dir);
  expect(names.length).toBeGreaterThan(3);
  for (const name of names.slice(1).reverse()) {
    const base = Number(name.slice(0, 16));
    const size = (await stat(join(dir, name))).size;
    for (const bytes of [size, size - 1, Math.floor(size / 2), 41, 40, 1, 0]) {
      if (bytes > size) continue;
      const cut = await directory();
      await cp(dir, cut, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      for (const later of names.filter((other) => other > name)) await rm(join(cut, later));
      await truncate(join(cut, name), bytes);
      expect({ base, bytes, ...(await open(cut)) }).toEqual({ base, bytes, ...expectedAt(acknowledged, base + bytes) });
    }
  }
});

test('a missing, shortened or lengthened segment in the middle is refused', async () => {
  const { dir } = await smallLog(300);
  const [first, second] = await segmentFiles(dir);
  const copy = async () => {
    const to = await directory();
    await cp(dir, to, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    return to;
  };
  const missing = await copy();
  await rm(join(missing, second!));
  await expect(open(missing)).rejects.toThrow('the next segment begins at');
  const short = await copy();
  await truncate(join(short, second!), (await stat(join(short, second!))).size - 1);
  await expect(open(short)).rejects.toThrow('the next segment begins at');
  const beheaded = await copy();
  await rm(join(beheaded, first!));
  await expect(open(beheaded)).rejects.toThrow('is incomplete: its first segment');
  const headless = await copy();
  await writeFile(join(headless, second!), Buffer.alloc((await stat(join(headless, second!))).size));
  await expect(open(headless)).rejects.toThrow('has no valid block');
});

test('a flipped byte in an older segment is an error for its readers and never gives wrong records', async () => {
  const dir = await directory();
  let log = await EmbeddedEventLog.open({ dir, segment_bytes: 2_000 });
  await log.ensureTopics([{ name: 'a', partitions: 1 }]);
  for (let at = 0; at < 60; at++) await log.append([record('a', `value-${at}`)]);
  await log.close();
  const path = join(dir, (await segmentFiles(dir))[1]!);
  const bytes = await readFile(path);
  bytes[bytes.length - 10]! ^= 1;
  await writeFile(path, bytes);
  log = await EmbeddedEventLog.open({ dir, segment_bytes: 2_000 });
  await expect(log.read('a', 0, 0, 60)).rejects.toThrow(/damaged at byte \d+/);
  expect((await log.read('a', 0, 55, 60)).map(({ value }) => value.toString())).toEqual([55, 56, 57, 58, 59].map((at) => `value-${at}`));
  await log.close();
});

test('indexes of older segments are saved, and rebuilt if they are damaged or missing', async () => {
  const dir = await directory();
  const options = { dir, segment_bytes: 5_000, chunk_bytes: 500 };
  let log = await EmbeddedEventLog.open(options);
  await log.ensureTopics([{ name: 'a', partitions: 2 }]);
  for (let at = 0; at < 200; at++) await log.append([record('a', `value-${at}`, at % 2)]);
  await log.close();
  const indexes = (await readdir(dir)).filter((name) => name.endsWith('.idx')).sort();
  expect(indexes.length).toBeGreaterThan(2);
  await rm(join(dir, indexes[0]!));
  await writeFile(join(dir, indexes[1]!), 'damaged');
  log = await EmbeddedEventLog.open(options);
  for (const partition of [0, 1]) {
    const found = (await log.read('a', partition, 0, 200)).map(({ value }) => value.toString());
    expect(found).toEqual(Array.from({ length: 100 }, (_, at) => `value-${at * 2 + partition}`));
  }
  await log.close();
});
