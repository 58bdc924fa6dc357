import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { EventCodec, uuidv7 } from '@countersign/contracts';
import { EmbeddedEventLog, type LogRecord } from '@countersign/event-log';
import type { CheckpointRecord, CheckpointStore, NewestCheckpoint } from '@countersign/evidence';
import { foldConfiguration } from '@countersign/process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuditEvents } from './audit-events.js';
import { AuditExport, type ExportAsk, type OpenExport } from './audit-export.js';
import { AuditReads } from './audit-reads.js';
import { parseExportCursor } from './export-cursor.js';
import { Refusals } from './refusals.js';

const ROWS = 100_000;
const codec = new EventCodec();
const by = { kind: 'user' as const, id: 'audra', roles: [] };
const topics = ['configuration-changed', 'tool-registered', 'security-event'];

/** Counts the records that are read. */
class CountedLog {
  records_read = 0;

  constructor(readonly inner: EmbeddedEventLog) {}

  async read(topic: string, partition: number, from: number, most: number): Promise<LogRecord[]> {
    const records = await this.inner.read(topic, partition, from, most);
    this.records_read += records.length;
    return records;
  }

  first = (topic: string, partition: number) => this.inner.first(topic, partition);
  head = (topic: string, partition: number) => this.inner.head(topic, partition);
  since = (topic: string, partition: number, time_ms: number) => this.inner.since(topic, partition, time_ms);
  partitions = (topic: string) => this.inner.partitions(topic);
  append = (records: Parameters<EmbeddedEventLog['append']>[0]) => this.inner.append(records);
}

/** A checkpoint is made on demand if there are new records. */
class HeldCheckpoints implements CheckpointStore {
  private readonly kept: NewestCheckpoint[] = [];

  async newest(): Promise<NewestCheckpoint | undefined> {
    const heads = new Map<string, { topic: string; partition: number; size: number; root: Buffer }>();
    for (const topic of topics) heads.set(`${topic}/0`, { topic, partition: 0, size: await log.head(topic, 0), root: Buffer.alloc(32) });
    const number = this.kept.length;
    const isNew = [...heads].some(([name, { size }]) => this.kept.at(-1)?.heads.get(name)?.size !== size);
    if (isNew) this.kept.push({ record: { number, note: `note ${number}` } as CheckpointRecord, heads });
    return this.kept.at(-1);
  }

  at = async (number: number) => this.kept[number];
  async *records() {}
  append = async () => 'taken' as const;
  close = async () => undefined;
}

let dir: string;
let log: CountedLog;
let written = 0;
const checkpoints = new HeldCheckpoints();

async function append(count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const records = Array.from({ length: Math.min(1000, count - from) }, () => {
      const n = written++;
      const tenant_id = n % 50 === 0 ? 'other' : 'acme';
      const ids = { event_id: uuidv7(Date.now()), tenant_id, call_id: null, causation_id: null, correlation_id: 'c' };
      const meta = { ...ids, attempt: 0, hlc: n, partition: 0 };
      const value = codec.encode('api_key_revoked', { meta, key_id: `${n}`, by, revoked_at_ms: n });
      return { topic: topics[n % 2] as string, partition: 0, key: null, value, headers: { event_type: 'api_key_revoked' } };
    });
    await log.append(records);
  }
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'export-'));
  log = new CountedLog(await EmbeddedEventLog.open({ dir, fsync: 'none' }));
  await log.inner.ensureTopics(topics.map((name) => ({ name, partitions: 1 })));
  await append(ROWS);
}, 60_000);
afterAll(async () => {
  await log.inner.close();
  await rm(dir, { recursive: true, force: true });
});

const clock = { now_ms: () => Date.now(), monotonic_ms: () => performance.now() };
function exports(): AuditExport {
  const deps = { log, codec, clock, store: undefined as never };
  const refusals = new Refusals(foldConfiguration({ log: log.inner, codec }));
  const events = new AuditEvents(deps as never, new Set(topics), refusals);
  return new AuditExport({ events, reads: new AuditReads(deps as never), checkpoints, store: deps.store });
}
async function open(more: Partial<ExportAsk> = {}): Promise<OpenExport> {
  const opened = await exports().open({ tenant_id: 'acme', by, format: 'ndjson', filter: {}, query: {}, ...more });
  if (typeof opened === 'string') throw new Error(opened);
  return opened;
}
async function text(opened: OpenExport): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of opened.chunks()) parts.push(part);
  return Buffer.concat(parts).toString();
}
const lines = (file: string) => file.split('\n').slice(0, -1);
const hlcOf = (line: string) => (JSON.parse(line) as { hlc: number }).hlc;
async function readsOnRecord() {
  const records = await log.read('security-event', 0, 0, 500);
  return records.map(
    ({ value }) => codec.decode(value).event as unknown as { meta: { event_id: string }; items: number; sha256: string | null },
  );
}

/** The first export: all records that exist at the beginning. */
let first: OpenExport;
let whole: string[];

describe('an export', () => {
  test('has every row of the tenant without a limit; its record, with the digest, is written before the end', async () => {
    first = await open();
    const file = await text(first);
    whole = lines(file);
    expect(whole.length).toBe(ROWS - ROWS / 50);
    expect(new Set(whole.map(hlcOf)).size).toBe(whole.length);
    const read = (await readsOnRecord()).find(({ meta }) => meta.event_id === first.export_id);
    expect(read).toMatchObject({ items: whole.length, sha256: createHash('sha256').update(file).digest('hex') });
  }, 60_000);

  test('is generated as it is read: a partial read reads a part of the log, and an abort is recorded', async () => {
    const before = log.records_read;
    const opened = await open();
    const stream = Readable.from(opened.chunks(), { objectMode: false, highWaterMark: 64 * 1024 });
    await new Promise((resolve) => stream.once('readable', resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(log.records_read - before).toBeLessThan(3_000);
    stream.destroy();
    let read: Awaited<ReturnType<typeof readsOnRecord>>[0] | undefined;
    for (let n = 0; !read && n < 100; n++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      read = (await readsOnRecord()).find(({ meta }) => meta.event_id === opened.export_id);
    }
    expect(read?.sha256).toBeNull();
    expect(read?.items).toBeGreaterThan(0);
    expect(read?.items).toBeLessThan(3_000);
  }, 60_000);

  test('continues after any of its rows without gap or repeat, whatever was appended meanwhile', async () => {
    await append(300);
    for (const at of [whole.length - 9_000, whole.length - 2, whole.length - 1]) {
      const { cursor } = JSON.parse(whole[at] as string) as { cursor: string };
      expect(lines(await text(await open({ cursor: parseExportCursor(cursor) })))).toEqual(whole.slice(at + 1));
    }
  }, 60_000);

  test('after an earlier checkpoint has only newer records, each once', async () => {
    await append(700);
    const since = lines(await text(await open({ after_checkpoint: first.checkpoint_size })));
    const revoked = since.filter((line) => line.includes('api_key_revoked')).map(hlcOf);
    const expected = Array.from({ length: 1000 }, (_, n) => ROWS + n).filter((n) => n % 50 !== 0);
    expect(revoked.sort((a, b) => a - b)).toEqual(expected);
    expect(since.length).toBeGreaterThan(revoked.length);
  }, 60_000);

  test('has no rows of another tenant, and refuses an unknown checkpoint', async () => {
    const rows = lines(await text(await open({ tenant_id: 'other' })));
    expect(rows.length).toBe((ROWS + 1000) / 50);
    expect(rows.every((line) => (JSON.parse(line) as { tenant_id: string }).tenant_id === 'other')).toBe(true);
    await expect(open({ after_checkpoint: 999 })).rejects.toThrow('unknown');
  }, 60_000);
});
