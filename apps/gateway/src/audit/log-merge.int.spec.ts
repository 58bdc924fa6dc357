import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EventCodec, uuidv7 } from '@countersign/contracts';
import { BatchDecoder, EmbeddedEventLog } from '@countersign/event-log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventLookup } from './event-lookup.js';
import { LogMerge, type LogStretch, type Merged, type Wanted } from './log-merge.js';

const codec = new EventCodec();
const topics = ['one', 'two', 'three'];
const START_MS = 1_790_000_000_000;
const COUNT = 3_000;
const by = { kind: 'user' as const, id: 'anna', roles: [] };
const clock = { now_ms: START_MS };

let dir: string;
let log: EmbeddedEventLog;
const ids: { event_id: string; tenant_id: string }[] = [];

/** A UUIDv7 of this moment. `uuidv7` is monotonic in a process and may already be ahead because of other specs. */
const idMadeAt = (ms: number, n: number): string => {
  const hex = ms.toString(16).padStart(12, '0') + (0x7000 | (n & 0xfff)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12)}-8000-${n.toString(16).padStart(12, '0')}`;
};

/** The id of the n-th event has the time of its append, except every 500th event, which is appended ten minutes late. */
async function append(n: number): Promise<void> {
  clock.now_ms += n % 7 === 0 ? 0 : 40;
  const event_id = idMadeAt(n % 500 === 3 ? clock.now_ms - 600_000 : clock.now_ms, n);
  const tenant_id = n % 3 === 0 ? 'acme' : 'other';
  ids.push({ event_id, tenant_id });
  const meta = { event_id, tenant_id, call_id: null, attempt: 0, causation_id: null, correlation_id: 'c', hlc: n, partition: 0 };
  const value = codec.encode('api_key_revoked', { meta, key_id: `${n}`, by, revoked_at_ms: 1 });
  const place = { topic: topics[n % 3] as string, partition: (n >> 3) % 2 };
  await log.append([{ ...place, key: null, value, headers: { event_type: 'api_key_revoked' } }]);
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'merge-'));
  log = await EmbeddedEventLog.open({ dir, fsync: 'none', clock: () => clock.now_ms });
  await log.ensureTopics(topics.map((name) => ({ name, partitions: 2 })));
  for (let n = 0; n < COUNT; n++) await append(n);
}, 60_000);
afterAll(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

const partitions = topics.flatMap((topic) => [0, 1].map((partition) => ({ topic, partition })));
const stretches = async (from: Record<string, Record<string, number>> = {}): Promise<LogStretch[]> =>
  Promise.all(
    partitions.map(async ({ topic, partition }) => ({
      topic,
      partition,
      from: from[topic]?.[partition] ?? 0,
      end: await log.head(topic, partition),
    })),
  );
const all: Wanted = { from_ms: 0, to_ms: Number.MAX_SAFE_INTEGER, matches: () => true };
const merge = async (wanted: Wanted, from = {}) => new LogMerge(log, new BatchDecoder(codec, undefined), await stretches(from), wanted);

async function take(merged: LogMerge, most = Number.POSITIVE_INFINITY, reads_max?: number): Promise<Merged[]> {
  const found: Merged[] = [];
  while (found.length < most) {
    const next = await merged.next(reads_max);
    if (next === undefined || next === 'pause') break;
    found.push(next);
  }
  return found;
}
const idsOf = (found: readonly Merged[]) => found.map(({ at }) => at.event.meta.event_id);

describe('a merge of log partitions', () => {
  test('returns every record once, by append time, and each partition in its own order', async () => {
    const found = await take(await merge(all));
    expect(found.length).toBe(COUNT);
    expect(new Set(idsOf(found)).size).toBe(COUNT);
    const times = found.map(({ record }) => record.timestamp_ms);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const { topic, partition } of partitions) {
      const offsets = found
        .filter(({ record }) => record.topic === topic && record.partition === partition)
        .map(({ record }) => record.offset);
      expect(offsets).toEqual(offsets.map((_, n) => n));
    }
  });

  test('continues from any position without gap or repeat, also after a read that was cut short', async () => {
    const whole = idsOf(await take(await merge(all)));
    for (const [page, reads_max] of [
      [137, undefined],
      [500, 700],
      [1, undefined],
    ] as const) {
      const found: string[] = [];
      for (let from = {}, n = 0; n < (page === 1 ? 50 : 10_000); n++) {
        const next = await merge(all, from);
        const items = idsOf(await take(next, page, reads_max));
        found.push(...items);
        const at = next.positions();
        if (items.length === 0 && JSON.stringify(at) === JSON.stringify(from)) break;
        from = at;
      }
      expect(found).toEqual(whole.slice(0, found.length));
      if (page !== 1) expect(found.length).toBe(COUNT);
    }
  });

  test('returns only matching records of the window', async () => {
    const [from_ms, to_ms] = [START_MS + 20_000, START_MS + 60_000];
    const found = await take(await merge({ from_ms, to_ms, matches: ({ tenant_id }) => tenant_id === 'acme' }));
    const every = (await take(await merge(all))).filter(
      ({ at, record }) => at.event.meta.tenant_id === 'acme' && record.timestamp_ms >= from_ms && record.timestamp_ms < to_ms,
    );
    expect(every.length).toBeGreaterThan(100);
    expect(idsOf(found)).toEqual(idsOf(every));
  });
});

describe('the lookup of a record by its event_id', () => {
  const lookup = () => new EventLookup(log);

  test('finds it anywhere, also if it was appended ten minutes after its id was made', async () => {
    for (let n = 3; n < COUNT; n += 97) {
      const { event_id, tenant_id } = ids[n] as (typeof ids)[0];
      const found = await lookup().find(event_id, tenant_id, partitions);
      expect([n, typeof found === 'object' && codec.decode(found.value).event.meta.event_id]).toEqual([n, event_id]);
    }
    for (let n = 3; n < COUNT; n += 500) {
      const { event_id, tenant_id } = ids[n] as (typeof ids)[0];
      expect([n, typeof (await lookup().find(event_id, tenant_id, partitions))]).toEqual([n, 'object']);
    }
  });

  test('is limited to its own tenant; an invalid or unknown id finds nothing', async () => {
    const { event_id, tenant_id } = ids[100] as (typeof ids)[0];
    expect(await lookup().find(event_id, tenant_id === 'acme' ? 'other' : 'acme', partitions)).toBeUndefined();
    expect(await lookup().find(uuidv7(START_MS + 10_000), 'acme', partitions)).toBeUndefined();
    expect(await lookup().find('nonsense', 'acme', partitions)).toBeUndefined();
  });
});
