import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Collector, eventually } from '../suite-fixture.js';
import { KafkaEventLog } from './kafka-event-log.js';
import { BrokerProxy } from './testing/broker-proxy.js';
import { numberedRecord } from './testing/numbered-records.js';

const { Kafka, logLevel } = kafkajs;
const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');
const STALL_MS = 3_000;
const FETCH = 1;
/** FindCoordinator, JoinGroup, Heartbeat and SyncGroup. */
const MEMBERSHIP: readonly number[] = [10, 11, 12, 14];

interface Reported {
  event?: unknown;
  name?: unknown;
  stuck?: { topic: string; partition: number; handled: number; waits_for: string }[];
}

describe('a subscription that makes no progress', () => {
  let plain: KafkaEventLog;
  let proxy: BrokerProxy;
  let log: KafkaEventLog;
  let topic: string;
  let reader: Collector;
  let rebuilt: Reported[];
  let failed: { reason: string; detail: Reported }[];

  beforeAll(async () => {
    plain = await KafkaEventLog.open({ brokers, client_id: 'stalled.plain' });
  }, 60_000);

  beforeEach(async () => {
    topic = `stalled-${randomUUID()}`;
    await plain.ensureTopics([{ name: topic, partitions: 2 }]);
    rebuilt = [];
    failed = [];
    reader = new Collector();
    proxy = await BrokerProxy.before(brokers[0] ?? '');
    log = await KafkaEventLog.open({
      brokers: [proxy.address],
      client_id: 'stalled',
      stall_ms: STALL_MS,
      request_timeout_ms: 500,
      session_timeout_ms: 3_000,
      heartbeat_ms: 200,
      warn: (message, detail) => void (message === 'a subscription makes no progress; rebuilding it' && rebuilt.push(detail)),
      fail: (reason, detail) => failed.push({ reason, detail }),
    });
  }, 60_000);

  afterEach(async () => {
    proxy.otherReply = () => 'deliver';
    await log.close();
    await proxy.close();
  }, 60_000);

  afterAll(() => plain.close(), 30_000);

  async function append(...names: string[]): Promise<void> {
    for (const name of names) await plain.append([numberedRecord(topic, 0, name)]);
  }

  const follow = () =>
    log.follow({ topics: [topic], visibility: 'durable', batch_records_max: 100, from: 'start', onBatch: reader.onBatch });
  const member = (onBatch = reader.onBatch) =>
    log.subscribe({ topics: [topic], group: `g-${topic}`, visibility: 'durable', batch_records_max: 100, onBatch });
  const silence = (apis: readonly number[]) => {
    proxy.otherReply = ({ api }) => (apis.includes(api) ? 'swallow' : 'deliver');
  };
  const passes = (stalls: number) => new Promise((resolve) => setTimeout(resolve, stalls * STALL_MS));

  test.each(['follower', 'member'] as const)(
    'is rebuilt, says that it is not ready, and goes on where that helped (%s)',
    async (kind) => {
      await append('first');
      await (kind === 'follower' ? follow() : member());
      await eventually('the first is there', () => reader.values.length === 1);
      silence([FETCH]);
      await append('second', 'third');
      await eventually('it was rebuilt', () => rebuilt.length === 1);
      expect(log.health).toBe('stalled');
      expect(rebuilt[0]).toMatchObject({ event: 'subscription_stalled', stuck: [{ topic, partition: 0, handled: 1, waits_for: 'fetch' }] });
      proxy.otherReply = () => 'deliver';
      await eventually('it goes on', () => reader.values.length === 3);
      await eventually('it says so', () => log.health === 'open');
      expect(reader.values).toEqual(['first', 'second', 'third']);
      expect(failed).toEqual([]);
    },
    60_000,
  );

  test('requests the end of the process, with the stuck positions, if a rebuild had no effect', async () => {
    await append('first');
    await follow();
    await eventually('the first is there', () => reader.values.length === 1);
    silence([FETCH]);
    await append('second');
    await eventually('it failed', () => failed.length === 1);
    expect(rebuilt).toHaveLength(1);
    expect(failed[0]).toMatchObject({
      reason: 'a subscription makes no progress, although it was rebuilt',
      detail: { name: `follower of ${topic}`, stuck: [{ topic, partition: 0, handled: 1 }] },
    });
    expect(log.health).toBe('stalled');
  }, 60_000);

  test('a member without responses of its group joins it again', async () => {
    await append('first');
    await member();
    await eventually('the first is there', () => reader.values.length === 1);
    silence(MEMBERSHIP);
    await passes(2); // by now it no longer trusts its assignment, and there is nothing to read
    expect(rebuilt).toEqual([]);
    await append('second');
    await eventually('it was rebuilt', () => rebuilt.length === 1);
    expect(rebuilt[0]?.stuck?.[0]).toMatchObject({ waits_for: 'membership' });
    proxy.otherReply = () => 'deliver';
    await eventually('it goes on', () => reader.values.includes('second'));
    await eventually('it says so', () => log.health === 'open');
    expect(failed).toEqual([]);
  }, 60_000);

  test('an outage of Kafka is waited for, however long it takes', async () => {
    await append('first');
    await follow();
    await eventually('the first is there', () => reader.values.length === 1);
    proxy.freeze();
    await append('second');
    await passes(3);
    expect([rebuilt, failed]).toEqual([[], []]);
    proxy.thaw();
    await eventually('it goes on', () => reader.values.includes('second'));
    await passes(1);
    expect([rebuilt, failed, log.health]).toEqual([[], [], 'open']);
  }, 60_000);

  test('a slow or retried handler, an idle topic and a topic that ends with a control record are no stall', async () => {
    const [slow, failing, idle, transactional] = ['slow', 'failing', 'idle', 'transactional'].map((word) => `${word}-${topic}`) as [
      string,
      string,
      string,
      string,
    ];
    await plain.ensureTopics([slow, failing, idle, transactional].map((name) => ({ name, partitions: 1 })));
    const client = new Kafka({ brokers, logLevel: logLevel.NOTHING });
    const producer = client.producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic: transactional, messages: [{ value: 'in a transaction' }] });
    await transaction.commit();
    await producer.disconnect();
    await plain.append([slow, failing].map((name) => numberedRecord(name, 0, name)));
    let broken = true;
    reader.react = async (batch) => {
      if (batch.topic === slow && broken) await passes(3);
      if (batch.topic === failing && broken) throw new Error('the store is unavailable');
    };
    const topics = [slow, failing, idle, transactional];
    const running = await log.follow({ topics, visibility: 'durable', batch_records_max: 100, from: 'start', onBatch: reader.onBatch });
    await passes(3);
    broken = false;
    await running.caughtUp();
    expect(reader.values).toContain('in a transaction');
    expect([rebuilt, failed, log.health]).toEqual([[], [], 'open']);
  }, 60_000);

  test('records that were dropped before they were read are no stall', async () => {
    await append('first', 'second');
    await plain.drop({ below: () => 2, carries: (name) => name !== topic });
    await follow();
    await passes(2);
    await append('third');
    await eventually('it goes on', () => reader.values.includes('third'));
    expect([reader.values, rebuilt, failed]).toEqual([['third'], [], []]);
  }, 60_000);
});
