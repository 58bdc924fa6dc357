import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LogRecord } from '../event-log.js';
import { eventually } from '../suite-fixture.js';
import { FETCH_BYTES_MAX } from './fetch-limits.js';
import { KafkaEventLog } from './kafka-event-log.js';
import { BrokerProxy, type ReplyFate } from './testing/broker-proxy.js';
import { nameOf, numberedRecord, readAll } from './testing/numbered-records.js';

const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');
const sasl_brokers = String(process.env.COUNTERSIGN_TEST_KAFKA_SASL).split(',');
const METADATA = 3;
const FETCH = 1;
const SASL_AUTHENTICATE = 36;
const PARTITIONS = 12;
const RECORD_BYTES = 1_000_000;
const LARGE_BYTES = 500_000;
/** Approximate maximum that a topic accepts. */
const LARGEST_BYTES = 6_900_000;
const broken: readonly ReplyFate[] = ['halve', 'reset', 'garble', 'shorten'];

describe('a connection that is cut in the middle of a response', () => {
  let plain: KafkaEventLog;
  let topic: string;
  let proxy: BrokerProxy;

  beforeAll(async () => {
    plain = await KafkaEventLog.open({ brokers, client_id: 'cut.plain' });
    topic = `cut-${randomUUID()}`;
    await plain.ensureTopics([{ name: topic, partitions: PARTITIONS }]);
    for (let partition = 0; partition < PARTITIONS; partition++)
      await plain.append([{ ...numberedRecord(topic, partition, `large-${partition}`), value: randomBytes(RECORD_BYTES) }]);
    proxy = await BrokerProxy.before(brokers[0] ?? '');
  }, 60_000);

  beforeEach(() => {
    proxy.produceReply = () => 'deliver';
    proxy.otherReply = () => 'deliver';
    proxy.replies_lost = 0;
  });

  afterAll(async () => {
    await plain.close();
    await proxy.close();
  }, 30_000);

  const through = (address = proxy.address) =>
    KafkaEventLog.open({ brokers: [address], client_id: 'cut', request_timeout_ms: 2_000, session_timeout_ms: 3_000, heartbeat_ms: 200 });

  /** Applies this fate to the first `count` responses above a size of one API. */
  function loses(api: number, fate: ReplyFate, count: number, bytes_min: number): void {
    let left = count;
    proxy.otherReply = (reply) => (reply.api === api && reply.bytes >= bytes_min && left-- > 0 ? fate : 'deliver');
  }

  test.each(broken)(
    'a follower and a member of a group have every record, once and in order (%s)',
    async (fate) => {
      const log = await through();
      const seen = { follower: [] as LogRecord[], member: [] as LogRecord[] };
      loses(FETCH, fate, 6, LARGE_BYTES);
      const common = { topics: [topic], visibility: 'durable' as const, batch_records_max: 10 };
      await log.follow({ ...common, from: 'start', onBatch: async ({ records }) => void seen.follower.push(...records) });
      await log.subscribe({ ...common, group: `g-${randomUUID()}`, onBatch: async ({ records }) => void seen.member.push(...records) });
      await eventually('both have all', () => seen.follower.length >= PARTITIONS && seen.member.length >= PARTITIONS, 40_000);
      expect(proxy.replies_lost).toBe(6);
      await plain.append([numberedRecord(topic, 0, `after-${fate}`)]);
      await eventually('both go on', () => Object.values(seen).every((records) => records.some((one) => nameOf(one) === `after-${fate}`)));
      for (const records of Object.values(seen)) {
        const places = records.map(({ partition, offset }) => `${partition}/${offset}`);
        expect(new Set(places).size).toBe(places.length);
        expect(records.filter(({ value }) => value.length === RECORD_BYTES)).toHaveLength(PARTITIONS);
      }
      await log.close();
    },
    90_000,
  );

  test.each(broken)(
    'a read is answered (%s)',
    async (fate) => {
      const log = await through();
      loses(FETCH, fate, 2, LARGE_BYTES);
      const [record] = await log.read(topic, 3, 0, 1);
      expect(record?.value).toHaveLength(RECORD_BYTES);
      expect(proxy.replies_lost).toBe(2);
      await log.close();
    },
    60_000,
  );

  test.each(broken)(
    'an append is there once (%s)',
    async (fate) => {
      const log = await through();
      let left = 3;
      proxy.produceReply = () => (left-- > 0 ? fate : 'deliver');
      const name = `sent-${fate}`;
      const [offset] = await log.append([numberedRecord(topic, 1, name)]);
      expect(proxy.replies_lost).toBe(3);
      const stored = (await readAll(plain, topic)).flat().filter((record) => nameOf(record) === name);
      expect(stored.map((record) => record.offset)).toEqual([offset]);
      await log.close();
    },
    60_000,
  );

  test.each(broken)(
    'topics are made and their offsets are read (%s)',
    async (fate) => {
      const log = await through();
      loses(METADATA, fate, 2, 0);
      const name = `cut-admin-${randomUUID()}`;
      await log.ensureTopics([{ name, partitions: 2 }]);
      expect([log.partitions(name), await log.first(name, 0), proxy.replies_lost]).toEqual([2, 0, 2]);
      await log.close();
    },
    60_000,
  );

  test('a record larger than the limit of a fetch is read, even if it takes longer than the timeout of a silent connection', async () => {
    const name = `cut-largest-${randomUUID()}`;
    await plain.ensureTopics([{ name, partitions: 1 }]);
    await plain.append([{ ...numberedRecord(name, 0, 'largest'), value: randomBytes(LARGEST_BYTES) }]);
    await plain.append([numberedRecord(name, 0, 'next')]);
    expect(LARGEST_BYTES).toBeGreaterThan(FETCH_BYTES_MAX);
    proxy.otherReply = ({ api, bytes }) => (api === FETCH && bytes >= LARGE_BYTES ? 'trickle' : 'deliver');
    const log = await through();
    const seen: LogRecord[] = [];
    const onBatch = async ({ records }: { records: readonly LogRecord[] }) => void seen.push(...records);
    await log.follow({ topics: [name], visibility: 'durable', batch_records_max: 10, from: 'start', onBatch });
    await eventually('both are there', () => seen.length === 2, 50_000);
    expect(seen.map(({ value }) => value.length)).toEqual([LARGEST_BYTES, 'next'.length]);
    await log.close();
  }, 90_000);

  test.each(['halve', 'reset'] as const)(
    'an authentication that was cut is done again (%s)',
    async (fate) => {
      const before_sasl = await BrokerProxy.before(sasl_brokers[0] ?? '');
      let left = 2;
      before_sasl.otherReply = ({ api }) => (api === SASL_AUTHENTICATE && left-- > 0 ? fate : 'deliver');
      const sasl = { mechanism: 'plain' as const, username: 'admin', password: 'admin' };
      const log = await KafkaEventLog.open({ brokers: [before_sasl.address], client_id: 'cut.sasl', sasl, request_timeout_ms: 2_000 });
      expect((await log.read(topic, 2, 0, 1))[0]?.value).toHaveLength(RECORD_BYTES);
      expect(before_sasl.replies_lost).toBe(2);
      await log.close();
      await before_sasl.close();
    },
    60_000,
  );
});
