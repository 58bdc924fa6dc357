import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogBatch, RunningSubscription } from '../event-log.js';
import { eventually } from '../suite-fixture.js';
import { KafkaEventLog } from './kafka-event-log.js';
import { BrokerProxy } from './testing/broker-proxy.js';
import { nameOf, numberedRecord } from './testing/numbered-records.js';

const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');
const PARTITIONS = 4;
const patience = { session_timeout_ms: 3_000, heartbeat_ms: 200, request_timeout_ms: 1_000 };

/** One member of the group under test, with its own connection. */
class Member {
  readonly numbers = new Set<number>();
  readonly seen: string[] = [];
  last_batch_ms = 0;
  onBatch: (batch: LogBatch) => Promise<void> = async () => {};
  private running: RunningSubscription | undefined;

  private constructor(private readonly log: KafkaEventLog) {}

  static async join(address: readonly string[], group: string, topics: readonly string[]): Promise<Member> {
    const member = new Member(await KafkaEventLog.open({ brokers: address, client_id: 'members', ...patience }));
    member.running = await member.log.subscribe({
      group,
      topics,
      visibility: 'durable',
      batch_records_max: 10,
      onAssigned: async (numbers) => {
        for (const number of numbers) member.numbers.add(number);
        return [];
      },
      onRevoked: async (numbers) => {
        for (const number of numbers) member.numbers.delete(number);
      },
      onBatch: (batch) => member.take(batch),
    });
    return member;
  }

  leave(): Promise<void> {
    return this.log.close();
  }

  private async take(batch: LogBatch): Promise<void> {
    this.last_batch_ms = performance.now();
    await this.onBatch(batch);
    for (const record of batch.records) this.seen.push(nameOf(record));
    const last = batch.records[batch.records.length - 1]!;
    this.running?.commit([{ topic: batch.topic, partition: batch.partition, offset: last.offset + 1 }]);
  }
}

describe('members of a group on Kafka', () => {
  let log: KafkaEventLog;
  let topics: string[];

  beforeAll(async () => {
    log = await KafkaEventLog.open({ brokers, client_id: 'members.writer' });
  }, 60_000);

  afterAll(() => log.close(), 30_000);

  async function freshTopics(): Promise<void> {
    topics = ['requested', 'decided'].map((word) => `${word}-${randomUUID()}`);
    await log.ensureTopics(topics.map((name) => ({ name, partitions: PARTITIONS })));
  }

  async function append(word: string, count: number): Promise<string[]> {
    const names = Array.from({ length: count }, (_, nth) => `${word}/${nth}`);
    await log.append(names.map((name, nth) => numberedRecord(topics[nth % 2]!, nth % PARTITIONS, name)));
    return names;
  }

  const spread = (members: readonly Member[]) => members.map(({ numbers }) => numbers.size).sort();
  const sawAll = (members: readonly Member[], names: readonly string[]) => {
    const seen = new Set(members.flatMap((member) => member.seen));
    return names.every((name) => seen.has(name));
  };

  test('four members join one by one, one leaves, one loses its network: every record arrives and no member keeps a revoked partition', async () => {
    await freshTopics();
    const group = `g-${randomUUID()}`;
    const proxy = await BrokerProxy.before(brokers[0] ?? '');
    const names: string[] = [];
    const members: Member[] = [];
    for (let number = 0; number < 4; number++) {
      members.push(await Member.join(number === 3 ? [proxy.address] : brokers, group, topics));
      names.push(...(await append(`joined-${number}`, 40)));
    }
    await eventually('each has one number', () => spread(members).join() === '1,1,1,1');
    await eventually('all came', () => sawAll(members, names));

    const [leaver, ...stayed] = members;
    await leaver!.leave();
    names.push(...(await append('left', 40)));
    await eventually('three share four', () => spread(stayed).join() === '1,1,2');

    const lonely = stayed.pop()!;
    proxy.freeze();
    const frozen_at_ms = performance.now();
    names.push(...(await append('frozen', 40)));
    await eventually('the others took over', () => spread(stayed).join() === '2,2', 20_000);
    await eventually('all came without it', () => sawAll([...stayed, leaver!, lonely], names));
    expect(lonely.last_batch_ms).toBeLessThan(frozen_at_ms + patience.session_timeout_ms);

    proxy.thaw();
    await eventually('it is back', () => spread([...stayed, lonely]).join() === '1,1,2', 30_000);
    names.push(...(await append('thawed', 40)));
    await eventually('all came in the end', () => sawAll(members, names));
    await Promise.all([...stayed, lonely].map((member) => member.leave()));
    await proxy.close();
  }, 120_000);

  test('a batch whose member lost the partition while handling it is delivered to the next member', async () => {
    await freshTopics();
    const group = `g-${randomUUID()}`;
    const first = await Member.join(brokers, group, topics);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    first.onBatch = () => held.then(() => Promise.reject(new Error('died mid-batch')));
    const names = await append('mid', 16);
    await eventually('it has a batch', () => first.last_batch_ms > 0);
    const second = await Member.join(brokers, group, topics);
    await eventually('two each', () => spread([first, second]).join() === '2,2');
    const mine = names.filter((_, nth) => second.numbers.has(nth % PARTITIONS));
    await eventually('its half came although the first one hangs', () => sawAll([second], mine));
    const leaving = first.leave();
    release();
    await leaving;
    expect(first.seen).toEqual([]);
    await eventually('the rest came too', () => sawAll([second], names));
    await second.leave();
  }, 60_000);

  test('a handler that takes longer than the session keeps its partitions and delays no other one', async () => {
    await freshTopics();
    const member = await Member.join(brokers, `g-${randomUUID()}`, topics);
    let slow = true;
    member.onBatch = async ({ partition }) => {
      if (partition === 0 && slow) await new Promise((resolve) => setTimeout(resolve, 2 * patience.session_timeout_ms));
    };
    const names = await append('slow', 40);
    const others = names.filter((_, nth) => nth % PARTITIONS !== 0);
    await eventually('the other partitions go on', () => sawAll([member], others), 3_000);
    slow = false;
    await eventually('the slow one ends', () => sawAll([member], names), 20_000);
    expect(member.numbers.size).toBe(PARTITIONS);
    expect(member.seen.length).toBe(names.length);
    await member.leave();
  }, 60_000);
});
