import { KafkaEventLog } from '@countersign/event-log/kafka/kafka-event-log';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { DistributedPlatform, realParts } from './distributed-platform.js';
import { JourneyWorld } from './journey-world.js';
import { type AtRest, describePersonalJourneys } from './personal-journeys.js';

const READ_AT_ONCE = 1000;

/** Every row of every table of the platform's database. */
async function rows(url: string): ReturnType<AtRest> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    const all = [];
    for (const { name } of tables.rows) {
      const found = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
      // A bytea column is hexadecimal in that text.
      const text = found.rows.map((row) => row.text).join('\n');
      const hidden = [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex]) => Buffer.from(hex as string, 'hex'));
      all.push({ where: `table ${name}`, bytes: Buffer.concat([Buffer.from(text), ...hidden]) });
    }
    return all;
  } finally {
    await client.end();
  }
}

/** Every record of every topic of the platform. */
async function records(brokers: string, prefix: string): ReturnType<AtRest> {
  const log = await KafkaEventLog.open({ brokers: brokers.split(','), client_id: 'at-rest' });
  try {
    const all = [];
    for (const base of [
      'tool-call-requested',
      'policy-decided',
      'approval-voted',
      'approval-granted',
      'tool-executed',
      'configuration-changed',
    ]) {
      const topic = `${prefix}${base}`;
      for (let partition = 0; partition < log.partitions(topic); partition++) {
        const found = await log.read(topic, partition, 0, READ_AT_ONCE);
        all.push({ where: `${base}/${partition}`, bytes: Buffer.concat(found.map(({ value }) => value)) });
      }
    }
    return all;
  } finally {
    await log.close();
  }
}

/** Every value in Redis. */
async function values(url: string): ReturnType<AtRest> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys('*');
    const found = await Promise.all(keys.map((key) => redis.getBuffer(key).catch(() => null)));
    return keys.map((where, at) => ({ where: `redis ${where}`, bytes: found[at] ?? Buffer.alloc(0) }));
  } finally {
    redis.disconnect();
  }
}

describe('personal data, on Kafka, Postgres and Redis', () => {
  const at = new JourneyWorld();
  const atRest: AtRest = async () => {
    const { databaseUrl, prefix } = at.platform as DistributedPlatform;
    const { COUNTERSIGN_TEST_KAFKA, COUNTERSIGN_TEST_REDIS_URL } = realParts();
    const all = [await rows(databaseUrl), await records(COUNTERSIGN_TEST_KAFKA, prefix), await values(COUNTERSIGN_TEST_REDIS_URL)];
    return all.flat();
  };
  beforeAll(() => at.open((env) => DistributedPlatform.start(env)), 120_000);
  afterAll(() => at.close(), 60_000);
  describePersonalJourneys(at, atRest);
});
