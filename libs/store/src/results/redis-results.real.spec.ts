import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { RedisResults } from './redis-results.js';

const open: RedisResults[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function connected(): Promise<RedisResults> {
  const url = process.env.COUNTERSIGN_TEST_REDIS_URL;
  if (!url) throw new Error('set COUNTERSIGN_TEST_REDIS_URL');
  const results = new RedisResults({ url, prefix: `${randomUUID()}:` });
  open.push(results);
  for (let i = 0; i < 200; i++) {
    results.put('probe', Buffer.from('x'), 60_000);
    if (await results.get('probe')) return results;
    await sleep(20);
  }
  throw new Error('Redis does not answer');
}

test('any bytes are returned until they expire', async () => {
  const results = await connected();
  const value = Buffer.from([0, 255, 10, 13]);
  results.put('a', value, 60_000);
  results.put('b', value, 80);
  expect(await results.get('a')).toEqual(value);
  await sleep(150);
  expect(await results.get('b')).toBeUndefined();
  expect(await results.get('nothing')).toBeUndefined();
});

test('while Redis is unavailable nothing is found, nothing throws and nothing waits', async () => {
  const results = new RedisResults({ url: 'redis://127.0.0.1:1' });
  open.push(results);
  results.put('a', Buffer.from('x'), 1000);
  const answer = results.get('a').then((found) => ({ found }));
  expect(await Promise.race([answer, setImmediate('it waits')])).toEqual({ found: undefined });
});
