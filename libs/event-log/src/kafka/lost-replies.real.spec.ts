import { randomUUID } from 'node:crypto';
import { isInfrastructureFault } from '@countersign/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KafkaEventLog } from './kafka-event-log.js';
import type { KafkaLogOptions } from './kafka-options.js';
import { BrokerProxy } from './testing/broker-proxy.js';
import { nameOf, numberedRecord, readAll } from './testing/numbered-records.js';

const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');
const RECORDS = 1_000;

describe('replies that are lost after the append, with concurrent senders', () => {
  let proxy: BrokerProxy;
  let plain: KafkaEventLog;
  let topic: string;

  beforeAll(async () => {
    plain = await KafkaEventLog.open({ brokers, client_id: 'lost-replies.plain' });
    topic = `lost-replies-${randomUUID()}`;
    await plain.ensureTopics([{ name: topic, partitions: 4 }]);
    proxy = await BrokerProxy.before(brokers[0] ?? '');
  }, 60_000);

  afterAll(async () => {
    await plain.close();
    await proxy.close();
  }, 30_000);

  /** Every sender appends records one after the other; returns the acknowledged offset of each record. */
  async function sendAll(log: KafkaEventLog, run: string, senders: number): Promise<Map<string, { partition: number; offset: number }>> {
    const acknowledged = new Map<string, { partition: number; offset: number }>();
    const sender = async (number: number) => {
      for (let nth = 0; nth < RECORDS / senders; nth++) {
        // a few senders out of step cause many sends of one record: sends of equal size can hide a reused sequence
        if (senders < 10) await new Promise((resolve) => setTimeout(resolve, (number * 7 + nth * 3) % 5));
        const partition = (number + nth) % (senders > 10 ? 4 : 1);
        const name = `${run}/${number}/${nth}`;
        const [offset = -1] = await log.append([numberedRecord(topic, partition, name)]);
        acknowledged.set(name, { partition, offset });
      }
    };
    await Promise.all(Array.from({ length: senders }, (_, number) => sender(number)));
    return acknowledged;
  }

  async function stored(run: string): Promise<Map<string, { partition: number; offset: number }[]>> {
    const places = new Map<string, { partition: number; offset: number }[]>();
    for (const record of (await readAll(plain, topic)).flat()) {
      const name = nameOf(record);
      if (name.startsWith(`${run}/`))
        places.set(name, [...(places.get(name) ?? []), { partition: record.partition, offset: record.offset }]);
    }
    return places;
  }

  function through(options: Partial<KafkaLogOptions> = {}): Promise<KafkaEventLog> {
    return KafkaEventLog.open({
      brokers: [proxy.address],
      client_id: 'lost-replies',
      append_timeout_ms: 60_000,
      request_timeout_ms: 1_000,
      ...options,
    });
  }

  test.each([
    ['cut', 1, 40],
    ['cut', 3, 40],
    ['cut', 1, 8],
    ['swallow', 2, 40],
  ] as const)(
    'nothing acknowledged is lost and nothing is there twice (%s, %d producers, %d senders)',
    async (fate, producers, senders) => {
      const log = await through({ producers, send_every_ms: 0 }); // many small sends: more replies can be lost
      let replies = 0;
      const every = fate === 'cut' ? 4 : 12;
      proxy.replies_lost = 0;
      proxy.sends_at_once_max = 0;
      proxy.produceReply = () => (++replies % every === 0 ? fate : 'deliver');
      const run = `${fate}-${producers}-${senders}`;
      const acknowledged = await sendAll(log, run, senders);
      await log.close();
      expect(acknowledged.size).toBe(RECORDS);
      expect(proxy.replies_lost).toBeGreaterThanOrEqual(3);
      expect(proxy.sends_at_once_max).toBe(1);
      const places = await stored(run);
      expect(places.size).toBe(acknowledged.size);
      for (const [name, place] of acknowledged) expect([name, places.get(name)]).toEqual([name, [place]]);
    },
    120_000,
  );

  test('a producer that gave up never reuses its sequence for other records', async () => {
    const log = await through({ producers: 1, send_retries: 2, append_timeout_ms: 3_000 });
    proxy.produceReply = () => 'cut';
    const fault = await log.append([numberedRecord(topic, 0, 'given-up/first')]).catch((error: unknown) => error);
    expect(isInfrastructureFault(fault)).toBe(true);
    proxy.produceReply = () => 'deliver';
    const offsets = await log.append([numberedRecord(topic, 0, 'given-up/second'), numberedRecord(topic, 0, 'given-up/third')]);
    await log.close();
    const places = await stored('given-up');
    expect(places.get('given-up/second')).toEqual([{ partition: 0, offset: offsets[0] }]);
    expect(places.get('given-up/third')).toEqual([{ partition: 0, offset: offsets[1] }]);
    expect(places.get('given-up/first')?.length ?? 0).toBeLessThanOrEqual(1);
  }, 60_000);

  test('an append fails within its timeout without a broker, and works again with one', async () => {
    const log = await through({ append_timeout_ms: 2_000 });
    await log.append([numberedRecord(topic, 1, 'silent/first')]);
    proxy.freeze();
    const fault = await log.append([numberedRecord(topic, 1, 'silent/second')]).catch((error: unknown) => error);
    expect(isInfrastructureFault(fault)).toBe(true);
    proxy.thaw();
    const again = async (): Promise<number[]> => log.append([numberedRecord(topic, 1, 'silent/third')]).catch(again);
    const [offset] = await again();
    await log.close();
    const third = (await stored('silent')).get('silent/third') ?? [];
    expect(third.map((place) => place.offset)).toContain(offset);
  }, 60_000);
});
