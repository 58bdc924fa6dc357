import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecordsDropped } from '../event-log.js';
import { KafkaEventLog } from './kafka-event-log.js';
import { nameOf, numberedRecord } from './testing/numbered-records.js';

const topic = `drop-${randomUUID()}`;
const kept = `${topic}-kept`;
/** More than a reader holds in memory. */
const RECORDS = 2_600;
const BELOW = 2_500;
const VALUE_BYTES = 1_500;
const AT_ONCE = 100;
let log: KafkaEventLog;

beforeAll(async () => {
  log = await KafkaEventLog.open({ brokers: String(process.env.COUNTERSIGN_TEST_KAFKA).split(','), client_id: 'drop' });
  await log.ensureTopics([
    { name: topic, partitions: 2 },
    { name: kept, partitions: 1 },
  ]);
  const records = Array.from({ length: RECORDS }, (_, number) => ({
    ...numberedRecord(topic, 0, String(number)),
    value: Buffer.from(`${number} ${randomBytes(VALUE_BYTES).toString('base64')}`),
  }));
  for (let from = 0; from < RECORDS; from += AT_ONCE) await log.append(records.slice(from, from + AT_ONCE));
  await log.append([numberedRecord(topic, 1, 'other'), numberedRecord(kept, 0, 'kept')]);
}, 60_000);
afterAll(() => log.close());

test('records below the offset are deleted, offsets and carried records stay, and a reader below it skips to the rest', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const seen: number[] = [];
  const slow = await log.follow({
    topics: [topic],
    visibility: 'durable',
    batch_records_max: 500,
    from: 'start',
    onBatch: async ({ partition, records }) => {
      if (partition === 0) await held;
      if (partition === 0) seen.push(...records.map(({ offset }) => offset));
    },
  });
  const terms = { below: (_topic: string, partition: number) => (partition === 0 ? BELOW : 0), carries: (name: string) => name === kept };
  expect(await log.drop({ ...terms, below: (name, partition) => (name.startsWith(topic) ? terms.below(name, partition) : 0) })).toEqual({
    segments: 1,
    bytes: 0,
  });
  expect([await log.first(topic, 0), await log.first(topic, 1), await log.first(kept, 0)]).toEqual([BELOW, 0, 0]);
  await expect(log.read(topic, 0, BELOW - 1, 10)).rejects.toBeInstanceOf(RecordsDropped);
  const left = await log.read(topic, 0, BELOW, RECORDS);
  expect(left.map((record) => [record.offset, nameOf(record).split(' ')[0]])).toEqual(
    Array.from({ length: RECORDS - BELOW }, (_, at) => [BELOW + at, String(BELOW + at)]),
  );
  expect(await log.since(topic, 0, 0)).toBe(BELOW);
  release();
  await slow.caughtUp();
  await slow.close();
  expect(seen.at(-1)).toBe(RECORDS - 1);
  expect(seen.filter((offset) => offset >= BELOW)).toHaveLength(RECORDS - BELOW);
  expect(seen.length).toBeLessThan(RECORDS);
}, 60_000);
