import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { RedisFaults } from './redis-faults.js';
import { RedisWakeUps } from './redis-wake-ups.js';

let url: string;
const open: { close(): Promise<void> }[] = [];

beforeAll(() => {
  const given = process.env.COUNTERSIGN_TEST_REDIS_URL;
  if (!given) throw new Error('set COUNTERSIGN_TEST_REDIS_URL');
  url = given;
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

function wakeUps(): RedisWakeUps {
  const made = new RedisWakeUps({ url, prefix: `${randomUUID()}:` });
  open.push(made);
  return made;
}

/** Publishes until a payload arrives: a subscription may not be active yet. */
async function until(done: () => boolean, publish: () => void): Promise<void> {
  for (let i = 0; i < 200 && !done(); i++) {
    publish();
    await sleep(25);
  }
  expect(done()).toBe(true);
}

test('payloads of any bytes arrive complete and in order', async () => {
  const both = wakeUps();
  const got: Buffer[] = [];
  await both.subscribe('gateway-1', (payload) => got.push(payload));
  const payload = [Buffer.from([0, 255, 10]), Buffer.alloc(0), Buffer.alloc(100_000, 7)];
  await until(
    () => got.length >= 3,
    () => both.publish('gateway-1', payload),
  );
  expect(got.slice(0, 3)).toEqual(payload);
});

test('a lost connection is counted and restored together with its subscription', async () => {
  const both = wakeUps();
  let got = 0;
  await both.subscribe('gateway-2', () => got++);
  await until(
    () => got > 0,
    () => both.publish('gateway-2', [Buffer.from('x')]),
  );
  const admin = new Redis(url);
  try {
    expect(both.faults).toBe(0);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal');
    const before = got;
    await until(
      () => got > before,
      () => both.publish('gateway-2', [Buffer.from('y')]),
    );
    expect(both.faults).toBeGreaterThanOrEqual(2);
  } finally {
    admin.disconnect();
  }
});

test('while Redis is unavailable, payloads are dropped without an error and faults are counted', async () => {
  const nowhere = new RedisWakeUps({ url: 'redis://127.0.0.1:1' });
  open.push(nowhere);
  await nowhere.subscribe('gateway-3', () => undefined);
  nowhere.publish('gateway-3', [Buffer.from('x')]);
  for (let i = 0; i < 100 && nowhere.faults === 0; i++) await sleep(20);
  expect(nowhere.faults).toBeGreaterThan(0);
});

test('a connection that the server closes is reported once, and one that is closed by the client is not', async () => {
  const reported: string[] = [];
  const [ended, closed] = [new Redis(url, { retryStrategy: () => null }), new Redis(url, { retryStrategy: () => null })];
  new RedisFaults(ended, ({ message }) => reported.push(`ended: ${message}`));
  const faults = new RedisFaults(closed, ({ message }) => reported.push(`closed: ${message}`));
  await Promise.all([ended.ping(), closed.ping()]);
  const ends = [ended, closed].map((client) => new Promise((done) => client.once('end', done)));
  const admin = new Redis(url);
  await admin.call('CLIENT', 'KILL', 'ID', String(await ended.client('ID')));
  admin.disconnect();
  faults.end();
  closed.disconnect();
  await Promise.all(ends);
  expect(reported).toEqual(['ended: the connection ended']);
});
