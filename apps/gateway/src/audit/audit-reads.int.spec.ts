import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AuditRead, EventCodec, InfrastructureFault } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditReads } from './audit-reads.js';

const START_MS = Date.parse('2026-11-27T09:00:00Z');
const codec = new EventCodec();
const readerOf = (id: string, tenant_id = 'acme') => ({ tenant_id, by: { kind: 'user' as const, id, roles: ['auditor'] } });
const audra = readerOf('audra');
const proof = (offset: number) => ({ what: 'proof' as const, query: { topic: 't', partition: 0, offset, event_id: undefined }, items: 1 });

let now_ms = START_MS;
let dir: string;
let log: EmbeddedEventLog;
/** Appends wait for it. */
let gate: Promise<void>;
let reads: AuditReads;
beforeEach(async () => {
  now_ms = START_MS;
  gate = Promise.resolve();
  dir = await mkdtemp(path.join(tmpdir(), 'countersign-reads-'));
  log = await EmbeddedEventLog.open({ dir, fsync: 'none' });
  await log.ensureTopics([{ name: 'security-event', partitions: 1 }]);
  const append: EmbeddedEventLog['append'] = async (records) => {
    await gate;
    return log.append(records);
  };
  reads = new AuditReads({ log: { append } as EmbeddedEventLog, codec, clock: { now_ms: () => now_ms, monotonic_ms: () => now_ms } });
});
afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

const recorded = async (): Promise<AuditRead[]> =>
  (await log.read('security-event', 0, 0, 500)).map(({ value }) => codec.decode(value).event as AuditRead);

test('10,456 proofs within a minute are two records: the first read opens a range before its answer, its end has the counts', async () => {
  for (let offset = 0; offset < 10_456; offset++) await reads.count(audra, proof(offset));
  expect(await recorded()).toMatchObject([
    { by: { id: 'audra' }, what: 'proof', items: 1, until_ms: START_MS + 60_000, opened_by: null, reads: null },
  ]);
  now_ms += 60_001;
  await reads.recordEnds();
  const [opening, end] = (await recorded()) as [AuditRead, AuditRead];
  expect(JSON.parse(opening.query_json)).toEqual({ topic: 't', partition: 0, offset: 0 });
  expect(end).toMatchObject({
    ...{ what: 'range', items: 10_456, reads: 10_456, until_ms: START_MS + 60_000, opened_by: opening.meta.event_id },
    meta: { tenant_id: 'acme', causation_id: opening.meta.event_id },
  });
  const { counts, queries, left_out } = JSON.parse(end.query_json);
  expect([counts, queries.length, left_out]).toEqual([{ proof: 10_456 }, 50, 10_406]);
});

test('a range is of one principal, one tenant and one minute', async () => {
  await reads.count(audra, proof(1));
  await reads.count(readerOf('ben'), { what: 'events', query: { call_id: 'c' }, items: 3 });
  await reads.count(readerOf('audra', 'globex'), proof(1));
  now_ms += 59_999;
  await reads.count(audra, proof(1));
  expect((await recorded()).length).toBe(3);
  now_ms += 1;
  await reads.count(audra, proof(2));
  await reads.recordEnds();
  const shown = (await recorded()).map(({ meta, by, what, reads: count }) => [meta.tenant_id, by.id, what, count]);
  expect(shown).toEqual([
    ['acme', 'audra', 'proof', null],
    ['acme', 'ben', 'events', null],
    ['globex', 'audra', 'proof', null],
    ['acme', 'audra', 'proof', null],
    ['acme', 'audra', 'range', 2],
    ['acme', 'ben', 'range', 1],
    ['globex', 'audra', 'range', 1],
  ]);
});

test('no answer of a range is given before its opening is durable, and none if it cannot be written', async () => {
  let open = (): void => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const answered: number[] = [];
  const answers = [1, 2, 3].map((offset) => reads.count(audra, proof(offset)).then(() => answered.push(offset)));
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect([answered, (await recorded()).length]).toEqual([[], 0]);
  open();
  await Promise.all(answers);
  expect([answered, (await recorded()).length]).toEqual([[1, 2, 3], 1]);

  now_ms += 60_000;
  gate = Promise.reject(new InfrastructureFault('the log is unavailable'));
  const refused = [1, 2].map((offset) => reads.count(audra, proof(offset)));
  expect((await Promise.allSettled(refused)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  gate = Promise.resolve();
  await reads.count(audra, proof(4));
  await reads.close();
  const ends = (await recorded()).filter(({ what }) => what === 'range');
  expect(ends.map(({ reads: count }) => count)).toEqual([3, 1]);
});

test('an end that cannot be written is written later; after a crash the opening stands, with the time until which it may have counted', async () => {
  await reads.count(audra, proof(1));
  now_ms += 60_000;
  gate = Promise.reject(new InfrastructureFault('the log is unavailable'));
  gate.catch(() => undefined);
  await reads.recordEnds();
  expect((await recorded()).length).toBe(1);
  gate = Promise.resolve();
  await reads.recordEnds();
  expect((await recorded()).at(-1)).toMatchObject({ what: 'range', reads: 1 });

  await reads.count(audra, proof(2));
  reads = new AuditReads({ log, codec, clock: { now_ms: () => now_ms, monotonic_ms: () => now_ms } });
  await reads.recordEnds();
  const standing = (await recorded()).at(-1) as AuditRead;
  expect(standing).toMatchObject({ what: 'proof', until_ms: now_ms + 60_000, opened_by: null, reads: null });
});

test('a read that opens personal values, and one that sends a file, are recorded each', async () => {
  const read = { ...audra, what: 'event' as const, query: { event_id: 'e' }, items: 1 };
  for (let n = 0; n < 3; n++) await reads.record(read);
  expect((await recorded()).map(({ what, until_ms }) => [what, until_ms])).toEqual(Array(3).fill(['event', null]));
});
