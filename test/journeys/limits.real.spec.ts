import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api } from './api.js';
import { DistributedPlatform } from './distributed-platform.js';
import { order } from './journey-world.js';

const HOUR_MS = 3_600_000;
/** Shifts the wall clock of a process. */
const skewed = (ms: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()+${ms}`)}`,
});

let counterparty: Counterparty;
let platform: DistributedPlatform;
let admin: Api;
let agent: Api;

/** Three instances of policy and two of the executor, with clocks an hour apart. */
beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await DistributedPlatform.create({ COUNTERSIGN_PROBE_URL: counterparty.url });
  await platform.add('policy-0', 'policy');
  await platform.add('policy-early', 'policy', skewed(HOUR_MS));
  await platform.add('policy-late', 'policy', skewed(-HOUR_MS));
  await platform.add('executor-early', 'executor', skewed(HOUR_MS));
  await platform.add('executor-late', 'executor', skewed(-HOUR_MS));
  for (const app of ['projector', 'gateway']) await platform.add(app, app);
  await platform.ready();
  admin = platform.admin();
  agent = await admin.keyFor('agent', 'limited', ['agent']);
});
afterAll(async () => {
  await platform?.close();
  await counterparty?.stop();
});

async function limit(limit_id: string, body: Record<string, unknown>): Promise<void> {
  expect((await admin.request('PUT', `/v1/limits/${limit_id}`, { scope: 'tenant', ...body })).status).toBe(200);
}
const effect = () => agent.call({ tool: 'probe_http_effect', inputs: order() }, { prefer: 'wait=60' });
const count = (answers: Awaited<ReturnType<typeof effect>>[], status: string) =>
  answers.filter(({ body }) => body.status === status).length;

test('of 100 concurrent calls over three instances exactly 10 have an effect, whatever the clocks show', async () => {
  await limit('ten', { kind: 'max_tool_calls', max: 10 });
  const answers = await Promise.all(Array.from({ length: 100 }, effect));
  expect([count(answers, 'succeeded'), count(answers, 'denied')]).toEqual([10, 90]);
  expect((await counterparty.stats()).effects).toBe(10);
  expect((await admin.request('DELETE', '/v1/limits/ten')).status).toBe(204);
});

test('a window allows its number of calls and no more, whichever instance decides', async () => {
  await limit('window', { kind: 'rate', max: 5, window_ms: 8000 });
  const before = (await counterparty.stats()).effects;
  expect(count(await Promise.all(Array.from({ length: 40 }, effect)), 'succeeded')).toBe(5);
  await sleep(8300);
  expect(count(await Promise.all(Array.from({ length: 40 }, effect)), 'succeeded')).toBe(5);
  expect((await counterparty.stats()).effects - before).toBe(10);
  expect((await admin.request('DELETE', '/v1/limits/window')).status).toBe(204);
});

test('a clock that is an hour off neither ends a new approval request early nor revives an ended one', async () => {
  const ann = await admin.keyFor('user', 'ann', ['approver']);
  const requirement = { expires_after_ms: 6000 };
  const rule = { tier: 'tier_2_approval_required', requirement };
  expect((await admin.request('PUT', '/v1/policies/tools/probe_approval', rule)).status).toBe(200);
  const before = (await counterparty.stats()).effects;
  const submitted = await Promise.all(
    Array.from({ length: 16 }, () => agent.call({ tool: 'probe_approval', inputs: order() }, { prefer: 'wait=20' })),
  );
  expect(count(submitted, 'pending_approval')).toBe(16);
  const vote = ({ body }: (typeof submitted)[number]) =>
    ann.request('POST', `/v1/approvals/${body.approval?.approval_id}/votes`, { vote: 'approve' });
  expect((await Promise.all(submitted.slice(0, 8).map(vote))).map(({ status }) => status)).toEqual(Array(8).fill(200));
  for (const { body } of submitted.slice(8)) await agent.callUntil(body.call_id, (call) => call.status === 'expired');
  expect((await Promise.all(submitted.slice(8).map(vote))).map(({ status }) => status)).toEqual(Array(8).fill(409));
  for (const { body } of submitted.slice(0, 8)) await agent.callUntil(body.call_id, (call) => call.status === 'succeeded');
  expect((await counterparty.stats()).effects - before).toBe(8);
});

test('waiting calls are taken over from killed instances, and each runs once', async () => {
  await limit('waits', { kind: 'rate', max: 4, window_ms: 30_000, on_exceeded: 'defer', defer_timeout_ms: 300_000 });
  const before = (await counterparty.stats()).effects;
  const first = await Promise.all(
    Array.from({ length: 8 }, () => agent.call({ tool: 'probe_http_effect', inputs: order() }, { prefer: 'wait=8' })),
  );
  expect(count(first, 'succeeded')).toBe(4);
  const waiting = first.filter(({ body }) => body.status === 'pending_policy');
  expect(waiting.map(({ status, body }) => [status, body.decision?.effect])).toEqual(waiting.map(() => [202, 'defer']));
  await platform.member('policy-0').stop('SIGKILL');
  await platform.member('policy-early').stop('SIGKILL');
  await Promise.all(waiting.map(({ body }) => agent.callUntil(body.call_id, (call) => call.status === 'succeeded', 120_000)));
  expect((await counterparty.stats()).effects - before).toBe(8);
});
