import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api } from './api.js';
import { DistributedPlatform } from './distributed-platform.js';

const LIFECYCLE = '/v1/tools/probe_http_effect/versions/1.1.0/lifecycle';
const CALLERS = 12;
let counterparty: Counterparty;
let platform: DistributedPlatform;
let serial = 0;

beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await DistributedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
  await platform.add('executor-2', 'executor');
  await platform.ready('executor-2');
});
afterAll(async () => {
  await platform.close();
  await counterparty.stop();
});

/** Makes calls without a pause until stopped; records the partition of each call that ran. */
async function callOn(agent: Api, until: () => boolean, ran: Set<string>): Promise<void> {
  while (!until()) {
    const { body } = await agent.call({ tool: 'probe_http_effect', inputs: { account: `r-${++serial}`, amount: 1, note: 'revoked' } });
    if (body.status === 'succeeded') ran.add(body.call_id.split('-')[0] as string);
  }
}

test('a revoked version no longer runs on either of two executors two seconds after the request', async () => {
  const admin = platform.admin();
  const agent = await admin.keyFor('agent', 'agent-1', ['agent']);
  let isOver = false;
  const ran = new Set<string>();
  const callers = Promise.all(Array.from({ length: CALLERS }, () => callOn(agent, () => isOver, ran)));
  for (const end = performance.now() + 30_000; ran.size < 4 && performance.now() < end; ) await sleep(100);
  expect([...ran].sort()).toEqual(['0', '1', '2', '3']);
  for (const name of ['executor', 'executor-2'])
    expect(await platform.metrics(name)).toMatch(/^countersign_tool_calls_total{tool="probe_http_effect"/m);
  const started_ms = performance.now();
  expect((await admin.request('PUT', LIFECYCLE, { state: 'blocked', reason: 'leaks' })).status).toBe(200);
  await sleep(Math.max(0, 2000 - (performance.now() - started_ms)));
  const { effects } = await counterparty.stats();
  await sleep(2000);
  expect((await counterparty.stats()).effects).toBe(effects);
  const { body } = await agent.call({ tool: 'probe_http_effect', inputs: { account: 'late', amount: 1, note: 'revoked' } });
  expect(body).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED' } });
  isOver = true;
  await callers;
  expect((await admin.request('PUT', LIFECYCLE, { state: 'active' })).status).toBe(200);
});
