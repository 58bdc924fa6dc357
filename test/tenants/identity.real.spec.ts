import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { AUDIENCE, OpenId, signingKey } from '@countersign/gateway/testing/open-id';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DistributedPlatform, realParts } from '../journeys/distributed-platform.js';
import { describeBroker } from '../secrets/broker-journeys.js';
import { type CanaryWorld, describeCanaries, SpanCollector } from '../secrets/canary-journeys.js';
import { describeCrossTenant } from './cross-tenant.js';
import { describeRoleTable } from './role-table.js';
import { describeTenantTools } from './tenant-tools.js';

const PARTS = realParts();
const wrapping_keys = ['k2', 'k1'].map((id) => `${id}:${randomBytes(32).toString('base64')}`).join(',');

/** Every record of the platform's topics: key, headers and value. */
async function topics(prefix: string): Promise<[string, string][]> {
  const kafka = new Kafka({ brokers: [PARTS.COUNTERSIGN_TEST_KAFKA], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const names = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
  let left = 0;
  for (const name of names) for (const { high } of await admin.fetchTopicOffsets(name)) left += Number(high);
  await admin.disconnect();
  const consumer = kafka.consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topics: names, fromBeginning: true });
  const found: [string, string][] = [];
  await new Promise<void>((done, failed) => {
    const timer = setTimeout(() => failed(new Error(`${left} records of ${names.length} topics were not read`)), 30_000);
    const eachMessage = async ({
      topic,
      message,
    }: {
      topic: string;
      message: { key: Buffer | null; value: Buffer | null; headers?: unknown };
    }) => {
      const bytes = Buffer.concat([message.key ?? Buffer.alloc(0), message.value ?? Buffer.alloc(0)]);
      found.push([topic, bytes.toString('latin1')], [topic, bytes.toString('utf8')]);
      const headers = Object.values((message.headers ?? {}) as Record<string, Buffer>).map(String);
      found.push([topic, headers.join('\n')]);
      if (--left > 0) return;
      clearTimeout(timer);
      done();
    };
    consumer.run({ eachMessage }).catch(failed);
  });
  await consumer.disconnect();
  return found;
}

/** Every row of every table. */
async function tables(url: string): Promise<[string, string][]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
  const found: [string, string][] = [];
  for (const { name } of rows) {
    const all = await client.query<Record<string, unknown>>(`SELECT * FROM "${name}"`);
    const texts = all.rows.map((row) =>
      Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value))),
    );
    found.push([name, texts.join('\n')]);
  }
  await client.end();
  expect(found.filter(([, text]) => text !== '').length).toBeGreaterThan(5);
  return found;
}

/** Everything in Redis. */
async function cached(): Promise<[string, string][]> {
  const redis = new Redis(PARTS.COUNTERSIGN_TEST_REDIS_URL);
  const found: [string, string][] = [];
  for (const key of await redis.keys('*')) {
    const value = (await redis.type(key)) === 'string' ? ((await redis.getBuffer(key))?.toString('latin1') ?? '') : '';
    found.push([`redis ${key}`, `${key}\n${value}`]);
  }
  await redis.quit();
  return found;
}

function files(dir: string): [string, string][] {
  return readdirSync(dir).flatMap((name): [string, string][] => {
    const file = path.join(dir, name);
    return statSync(file).isDirectory() ? files(file) : [[file, readFileSync(file, 'latin1')]];
  });
}

describe('identity and secrets, on Kafka, Postgres and Redis', () => {
  const at = {} as { platform: DistributedPlatform };
  let collector: SpanCollector;
  let provider: OpenId;
  beforeAll(async () => {
    collector = await SpanCollector.open();
    provider = await OpenId.open(['alice'], [signingKey('first').jwk]);
    at.platform = await DistributedPlatform.create({
      ...collector.env,
      COUNTERSIGN_IDENTITY_ALLOW_PRIVATE: 'true',
      COUNTERSIGN_SECRET_KEYS: wrapping_keys,
    });
    for (const app of ['policy', 'executor', 'projector', 'orchestrator', 'gateway']) await at.platform.add(app, app);
    for (const app of ['policy', 'executor']) await at.platform.add(`${app}-2`, app);
    await at.platform.ready();
  });
  afterAll(async () => {
    await at.platform?.close();
    await provider?.close();
    collector?.close();
  });

  const output = () => [...at.platform.members.values()].map(({ process }) => process.output).join('\n');
  const kept = async () => [
    ...(await topics(at.platform.prefix)),
    ...(await tables(at.platform.databaseUrl)),
    ...(await cached()),
    ...files(at.platform.dir),
  ];
  describeCanaries((): CanaryWorld => ({ admin: () => at.platform.admin(), collector, output, kept }));

  test('an activated policy applies on every instance of every service once its activation has its response', async () => {
    const admin = at.platform.admin();
    const agent = await admin.keyFor('agent', 'ruled', ['agent']);
    const rules = [{ id: 'no', tools: 'list_directory', when: 'principal.id == "ruled"', effect: 'deny' }];
    const { version } = (await admin.request<{ version: string }>('POST', '/v1/policies', { rules })).body;
    for (const active of [version, null, version, null]) {
      type Answered = { instances: { service: string; has_it: boolean }[] };
      const { status, body } = await admin.request<Answered>('PUT', '/v1/policies/active', { version: active });
      expect(status).toBe(200);
      const services = body.instances.filter(({ has_it }) => has_it).map(({ service }) => service);
      expect(services.sort()).toEqual(['executor', 'executor', 'gateway', 'orchestrator', 'policy', 'policy']);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => agent.call({ tool: 'list_directory', inputs: { path: '.' } }, { prefer: 'wait=20' })),
      );
      const wanted = active === null ? 'succeeded' : 'denied';
      expect(answers.map(({ body: { status: ended } }) => ended)).toEqual(answers.map(() => wanted));
    }
  });

  test('a token of a real provider identifies a principal of its own tenant only', async () => {
    const admin = at.platform.admin();
    const identity = {
      issuer: provider.issuer,
      audiences: [AUDIENCE],
      algorithms: ['ES256'],
      role_mappings: [{ value: 'staff', role: 'agent' }],
    };
    expect((await admin.request('PUT', '/v1/identity-providers/corp', identity)).status).toBe(200);
    const alice = admin.as(await provider.token('alice'));
    const { status, body } = await alice.call({ tool: 'list_directory', inputs: { path: '.' } });
    expect([status, body.status]).toEqual([200, 'succeeded']);
    const elsewhere = admin.as(await provider.token('alice', 'urn:countersign:tenant:other'));
    expect((await elsewhere.request('GET', '/v1/tools')).status).toBe(401);
    const cut = admin.as(`${alice.key.slice(0, -4)}AAAA`);
    expect((await cut.request('GET', '/v1/tools')).status).toBe(401);
    expect((await alice.request('GET', '/v1/keys')).status).toBe(403);
  });

  describeBroker(at, 2);
  describeRoleTable(at);
  describeCrossTenant(at, ['operator', 'admin']);
  describeTenantTools(at);
});
