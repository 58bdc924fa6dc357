import { exec } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { isInfrastructureFault } from '@countersign/contracts';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../suite-fixture.js';
import { KafkaEventLog } from './kafka-event-log.js';
import { nameOf, numberedRecord, readAll } from './testing/numbered-records.js';

const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');
const kill = String(process.env.COUNTERSIGN_TEST_KAFKA_KILL);
const start = String(process.env.COUNTERSIGN_TEST_KAFKA_START);
const run = promisify(exec);
const ROUNDS = 2;

/** Restarts the broker whatever the test finds, since other tests need it. */
async function whileDead(work: () => Promise<void>): Promise<void> {
  await run(kill);
  try {
    await work();
  } finally {
    await run(start);
  }
}

describe('the broker is killed with -9 and restarts', () => {
  let log: KafkaEventLog;
  let writing = true;

  afterAll(async () => {
    writing = false;
    await log.close();
  }, 60_000);

  test('no acknowledged record is lost, writers and readers resume by themselves, and the staleness was reported', async () => {
    log = await KafkaEventLog.open({
      brokers,
      client_id: 'death',
      append_timeout_ms: 8_000,
      request_timeout_ms: 2_000,
      session_timeout_ms: 6_000,
    });
    const topic = `death-${randomUUID()}`;
    await log.ensureTopics([{ name: topic, partitions: 2 }]);
    const seen = new Set<string>();
    const followed = new Set<string>();
    const subscription = await log.subscribe({
      group: `g-${topic}`,
      topics: [topic],
      visibility: 'durable',
      batch_records_max: 100,
      onBatch: async ({ records }) => {
        for (const record of records) seen.add(nameOf(record));
      },
    });
    const follower = await log.follow({
      topics: [topic],
      visibility: 'durable',
      batch_records_max: 100,
      from: 'start',
      onBatch: async ({ records }) => {
        for (const record of records) followed.add(nameOf(record));
      },
    });

    const acknowledged = new Set<string>();
    const faults: unknown[] = [];
    const writer = async (number: number) => {
      for (let nth = 0; writing; nth++) {
        const name = `${number}/${nth}`;
        await log.append([numberedRecord(topic, number % 2, name)]).then(
          () => acknowledged.add(name),
          (error: unknown) => faults.push(error),
        );
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const writers = Array.from({ length: 6 }, (_, number) => writer(number));

    for (let round = 0; round < ROUNDS; round++) {
      const before = acknowledged.size;
      await eventually('records flow', () => acknowledged.size > before + 50);
      await whileDead(async () => {
        // with one broker there is no failover; with several the follower may never become stale
        if (brokers.length === 1) await eventually('the follower says that it hears nothing', () => follower.staleness_ms(topic) > 1_500);
      });
      const after = acknowledged.size;
      await eventually('writers go on', () => acknowledged.size > after + 50, 60_000);
    }
    writing = false;
    await Promise.all(writers);
    await eventually('the subscription has everything', () => [...acknowledged].every((name) => seen.has(name)), 60_000);
    await eventually('the follower has everything', () => [...acknowledged].every((name) => followed.has(name)), 60_000);
    await eventually('the follower hears again', () => follower.staleness_ms(topic) < 2_000);
    expect(faults.filter((fault) => !isInfrastructureFault(fault))).toEqual([]);

    const stored = (await readAll(log, topic)).flat().map(nameOf);
    const counts = new Map<string, number>();
    for (const name of stored) counts.set(name, (counts.get(name) ?? 0) + 1);
    expect([...acknowledged].filter((name) => counts.get(name) !== 1)).toEqual([]);
    await subscription.close();
  }, 240_000);
});
