import { type RpcClient, rpc } from '@countersign/gateway/testing/mcp-rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api } from './api.js';
import { order } from './journey-world.js';
import { TwoGateways } from './two-gateways.js';

let counterparty: Counterparty;
let platform: TwoGateways;
let agent: [RpcClient, RpcClient];
let approver: RpcClient;
beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await TwoGateways.start({ COUNTERSIGN_PACKS: 'probe', COUNTERSIGN_PROBE_URL: counterparty.url });
  await platform.startProjector();
  const admin = platform.at(0);
  const at = (api: Api, gateway: 0 | 1): RpcClient => ({ url: platform.at(gateway).base, key: api.key });
  const bot = await admin.keyFor('agent', 'bot', ['agent']);
  agent = [at(bot, 0), at(bot, 1)];
  approver = at(await admin.keyFor('user', 'anna', ['approver']), 1);
});
afterAll(async () => {
  await platform?.close();
  await counterparty?.stop();
});

const effects = async () => (await counterparty.stats()).effects;
const called = async (name: string, given: Record<string, unknown>, by = agent[0]) =>
  (await rpc(by, 'tools/call', { name, arguments: given })).result;
const task = async (taskId: string, by = agent[1]) => (await rpc(by, 'tasks/get', { taskId })).result;

async function ended(taskId: string) {
  await expect.poll(async () => (await task(taskId)).status, { timeout: 15_000, interval: 100 }).not.toBe('working');
  return task(taskId);
}

/** A payment that waits for a person, asked at the first gateway. */
async function waiting(): Promise<{ taskId: string; approval_id: string }> {
  const { taskId, status } = await called('probe_approval', order());
  expect(status).toBe('working');
  const { items } = (await called('list_approvals', { tool: 'probe_approval' }, approver)).structuredContent;
  const { approval_id } = items.find(({ call_id }: { call_id: string }) => call_id === taskId);
  return { taskId, approval_id };
}

const decide = (approval_id: string, vote: string, by = approver) =>
  called('decide_approval', { approval_id, vote, reason: 'journey' }, by);

describe('a payment that a person must approve, over MCP at two gateways', () => {
  test('is a task that the other gateway finds at once, and runs once the approver has decided with the own token', async () => {
    const before = await effects();
    const { taskId } = await called('probe_approval', order());
    expect(await task(taskId)).toMatchObject({ taskId, status: 'working', ttlMs: null });
    const { items } = (await called('list_approvals', {}, approver)).structuredContent;
    const [{ approval_id }] = items.filter(({ call_id }: { call_id: string }) => call_id === taskId);
    await expect.poll(async () => (await task(taskId)).statusMessage).toMatch(/with the role .* until 2\d{3}-/);
    expect(await effects()).toBe(before);
    expect(await decide(approval_id, 'approve')).toMatchObject({ isError: false });
    expect(await ended(taskId)).toMatchObject({ status: 'completed', result: { isError: false, structuredContent: { ok: true } } });
    expect(await effects()).toBe(before + 1);
  });

  test('is not approved by the agent that asks, with whatever it has', async () => {
    const before = await effects();
    const { taskId, approval_id } = await waiting();
    const voter = await platform.at(0).keyFor('agent', 'bot', ['agent', 'approver']);
    for (const by of [agent[0], { ...agent[0], key: voter.key }])
      expect(await decide(approval_id, 'approve', by)).toMatchObject({ isError: true });
    const inputResponses = { approve: { action: 'accept', content: { approval_id, vote: 'approve' } } };
    expect((await rpc(agent[0], 'tasks/update', { taskId, inputResponses })).error).toBeUndefined();
    expect(await task(taskId)).toMatchObject({ status: 'working' });
    expect(await effects()).toBe(before);
    await decide(approval_id, 'deny');
    expect(await ended(taskId)).toMatchObject({ status: 'completed', result: { isError: true }, statusMessage: 'denied: POLICY_DENIED' });
    expect(await effects()).toBe(before);
  });

  test('is cancelled at the other gateway before it fires, and a late approval changes nothing', async () => {
    const before = await effects();
    const { taskId, approval_id } = await waiting();
    expect((await rpc(agent[1], 'tasks/cancel', { taskId })).error).toBeUndefined();
    expect(await ended(taskId)).toMatchObject({ status: 'cancelled' });
    expect(await decide(approval_id, 'approve')).toMatchObject({ isError: true });
    expect(await effects()).toBe(before);
  });
});

test('a write that has fired is not cancelled: its task completes with its effect', async () => {
  const before = await effects();
  const { taskId } = await called('probe_http_effect', { ...order(), answer_delay_ms: 3_000 });
  await expect.poll(effects).toBe(before + 1);
  expect((await rpc(agent[0], 'tasks/cancel', { taskId })).error).toBeUndefined();
  expect(await ended(taskId)).toMatchObject({ status: 'completed', result: { isError: false } });
  expect(await effects()).toBe(before + 1);
});

test('a long read is cancelled while it runs', async () => {
  const { taskId } = await called('probe_slow', { duration_ms: 60_000 });
  expect((await rpc(agent[1], 'tasks/cancel', { taskId })).error).toBeUndefined();
  expect(await ended(taskId)).toMatchObject({ status: 'cancelled' });
});
