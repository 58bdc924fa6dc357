import { callTopics, evidenceTopics, exportTopics, globalTopics } from '@countersign/contracts';
import { KafkaEventLog } from '@countersign/event-log/kafka/kafka-event-log';
import { S3Bucket } from '@countersign/store';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { DistributedPlatform, realParts } from './distributed-platform.js';
import { JourneyWorld } from './journey-world.js';
import { type AtRest, describePersonalJourneys } from './personal-journeys.js';

const READ_AT_ONCE = 20_000;
const STARTED_MS = Date.now();

/** Every row of every table in the platform's database. */
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
    for (const base of [...callTopics, ...globalTopics, ...evidenceTopics, ...exportTopics]) {
      const topic = `${prefix}${base}`;
      for (let partition = 0; partition < log.partitions(topic); partition++) {
        const found = await log.read(topic, partition, 0, READ_AT_ONCE);
        const heads = found.map(({ key, headers }) => Buffer.from(JSON.stringify({ key, headers })));
        all.push({ where: `${base}/${partition}`, bytes: Buffer.concat([...heads, ...found.map(({ value }) => value)]) });
      }
    }
    return all;
  } finally {
    await log.close();
  }
}

/** Every object written to the bucket since the start of the test: blobs of all tenants, tiles, cosignatures. */
async function objects(endpoint: string): ReturnType<AtRest> {
  const keys = { access_key_id: 'countersign', secret_access_key: 'countersign-secret' };
  const bucket = new S3Bucket({ endpoint, bucket: 'countersign', region: 'us-east-1', ...keys });
  const all = [];
  for (let token = ''; ; ) {
    const listed = await (await bucket.send(`?list-type=2${token && `&continuation-token=${encodeURIComponent(token)}`}`, {})).text();
    for (const [, key, at] of listed.matchAll(/<Key>([^<]+)<\/Key>\s*<LastModified>([^<]+)</g))
      if (Date.parse(at as string) >= STARTED_MS - 1_000)
        all.push({ where: `object ${key}`, bytes: (await bucket.get(key as string)) ?? Buffer.alloc(0) });
    token = /<NextContinuationToken>([^<]+)</.exec(listed)?.[1] ?? '';
    if (token === '') break;
  }
  expect(all.length).toBeGreaterThan(0);
  return all;
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
    const { COUNTERSIGN_TEST_KAFKA: brokers, COUNTERSIGN_TEST_REDIS_URL: redis, COUNTERSIGN_TEST_S3: s3 } = realParts();
    return [await rows(databaseUrl), await records(brokers, prefix), await values(redis), await objects(s3)].flat();
  };
  beforeAll(() => at.open((env) => DistributedPlatform.start({ ...env, COUNTERSIGN_EXPORTS: 'case-history-view,audit-view' })), 120_000);
  afterAll(() => at.close(), 60_000);
  describePersonalJourneys(at, atRest);
});
