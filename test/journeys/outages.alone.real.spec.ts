import { exec } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Answer, Api, Envelope } from './api.js';
import { DistributedPlatform } from './distributed-platform.js';
import { order } from './journey-world.js';

const run = promisify(exec);
const OUTAGE_MS = 5000;

/** A command that the scripts of the external services pass to the tests. @throws if it is missing: nothing is skipped. */
function command(name: string): () => Promise<unknown> {
  const text = process.env[name];
  if (!text) throw new Error(`${name} is not set: run npm run test:real`);
  return () => run(text, { timeout: 120_000 });
}

let counterparty: Counterparty;
let platform: DistributedPlatform;
let agent: Api;

beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await DistributedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
  agent = await platform.admin().keyFor('agent', 'a', ['agent']);
});
afterAll(async () => {
  await platform?.close();
  await counterparty?.stop();
});

const write = (inputs = order()): Promise<Answer<Envelope>> => agent.call({ tool: 'probe_http_effect', inputs }, { prefer: 'wait=20' });

function expectUnavailable({ status, headers, body }: Answer<unknown>): void {
  expect(status).toBe(503);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(headers.get('content-type')).toContain('application/problem+json');
  expect(body).toMatchObject({ status: 503, code: expect.any(String), retryable: true });
}

/** Repeats the same order until it completes, as an agent would; returns how long that took. */
async function insist(inputs: Record<string, unknown>, timeout_ms = 90_000): Promise<number> {
  const started = performance.now();
  for (let last: unknown; performance.now() - started < timeout_ms; ) {
    const answer = await write(inputs);
    if (answer.status === 200 && answer.body.status === 'succeeded') return performance.now() - started;
    last = answer.body;
    if (![200, 202, 503].includes(answer.status)) throw new Error(`answered ${answer.status}: ${JSON.stringify(last)}`);
    await sleep(200);
  }
  throw new Error(`not answered within ${timeout_ms} ms`);
}

/** Stops a dependency under traffic, sends the orders of `during`, restarts it: every order, also those of `during`, has one effect. */
async function outage(part: string, during: () => Promise<Record<string, unknown>[]>): Promise<void> {
  const kill = command(`COUNTERSIGN_TEST_${part}_KILL`);
  const start = command(`COUNTERSIGN_TEST_${part}_START`);
  const before = (await counterparty.stats()).effects;
  const early = Array.from({ length: 20 }, () => insist(order({ delay_ms: 50 })));
  await sleep(100);
  await kill();
  let meanwhile: Record<string, unknown>[] = [];
  try {
    meanwhile = await during();
    await sleep(OUTAGE_MS);
  } finally {
    await start();
  }
  const took = await Promise.all([
    ...early,
    ...Array.from({ length: 20 }, () => insist(order())),
    ...meanwhile.map((inputs) => insist(inputs)),
  ]);
  console.log(`${part}: back to the first answers within ${(Math.min(...took.slice(20, 40)) / 1000).toFixed(1)} s of its return`);
  const stats = await counterparty.stats();
  expect(stats.duplicates).toEqual([]);
  expect(stats.effects - before).toBe(40 + meanwhile.length);
}

describe('a dependency is unavailable for a while', () => {
  test('Redis: calls still get responses, because it only carries hints', async () => {
    await outage('REDIS', async () => {
      const orders = Array.from({ length: 5 }, () => order());
      for (const inputs of orders) expect((await write(inputs)).body.status).toBe('succeeded');
      return orders;
    });
  });

  test('Kafka: 503 with Retry-After, then everything resumes by itself, nothing lost and nothing twice', async () => {
    await outage('KAFKA', async () => {
      const inputs = order();
      const started_ms = performance.now();
      expectUnavailable(await write(inputs));
      console.log(`KAFKA: a 503 after ${((performance.now() - started_ms) / 1000).toFixed(1)} s`);
      return [inputs];
    });
  });

  test('Postgres: reads and writes wait or get a 503, nothing is allowed, then all resumes, nothing lost and nothing twice', async () => {
    await outage('POSTGRES', async () => {
      expectUnavailable(await agent.request('GET', '/v1/calls'));
      await sleep(2500);
      expectUnavailable(await agent.call({ tool: 'list_directory', inputs: { path: '.' } }, { prefer: 'wait=1' }));
      return [];
    });
  });
});
