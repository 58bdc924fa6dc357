import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { callOf, mcpClient, REVISIONS, type Revision, textOf, WAYS, type Way } from './mcp-clients.js';

let counterparty: Counterparty;
let platform: EmbeddedPlatform;
let admin: Api;
let agent: Api;
const open: Client[] = [];

beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
  admin = platform.admin();
  agent = await admin.keyFor('agent', 'agent-mcp', ['agent']);
}, 120_000);
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(async () => {
  await platform?.close();
  await counterparty?.kill();
});

async function connect(way: Way, revision: Revision, run_id?: string): Promise<Client> {
  const client = await mcpClient({ way, revision, url: platform.base, key: agent.key, ...(run_id === undefined ? {} : { run_id }) });
  open.push(client);
  return client;
}

let orders = 0;
const order = (more: object = {}) => ({ account: `acc-${process.pid}-${++orders}`, amount: orders, note: 'mcp', ...more });

/** The call with these inputs once it is recorded. */
async function recorded(account: string): Promise<Envelope> {
  for (const end = Date.now() + 10_000; Date.now() < end; await sleep(50)) {
    const { body } = await admin.request<{ items: (Envelope & { inputs: { account?: string } })[] }>(
      'GET',
      '/v1/calls?limit=20&fields=call_id,status,inputs,idempotency_key',
    );
    const found = body.items?.find(({ inputs }) => inputs?.account === account);
    if (found) return (await admin.readCall(found.call_id)).body;
  }
  throw new Error(`no call of the account ${account}`);
}

const keyOf = ({ structuredContent }: { structuredContent?: unknown }): unknown => (structuredContent as { key?: unknown })?.key;

const ways = WAYS.flatMap((way) => REVISIONS.map((revision) => ({ way, revision })));

describe.each(ways)('a client of $revision over $way', ({ way, revision }) => {
  test('calls a tool as a POST does: the same call is one effect, whichever way it comes in', async () => {
    const client = await connect(way, revision, 'run-mcp');
    const inputs = order();
    const first = await client.callTool({ name: 'probe_named_effect', arguments: inputs });
    expect(first).toMatchObject({ isError: false, structuredContent: { ok: true, amount: inputs.amount } });
    const again = await client.callTool({ name: 'probe_named_effect', arguments: inputs });
    expect(again.structuredContent).toEqual(first.structuredContent);
    expect(textOf(again)).toMatch(/answered with the result of an earlier equal call.*`countersign_occurrence`/);
    const posted = await agent.call({ tool: 'probe_named_effect', inputs, context: { run_id: 'run-mcp' } });
    expect(posted.body).toMatchObject({ deduplicated: true, output: first.structuredContent, original_call_id: callOf(first).call_id });
    const repeat = await client.callTool({ name: 'probe_named_effect', arguments: { ...inputs, countersign_occurrence: '2' } });
    expect(keyOf(repeat)).not.toBe(keyOf(first));
  });

  test('lists what it may call and reads a refusal', async () => {
    const client = await connect(way, revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['probe_effect', 'write_file', 'get_call']));
    const refused = await client.callTool({ name: 'probe_effect', arguments: { account: 7 } });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('VALIDATION_ERROR')]);
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('no_such_tool');
  });
});

describe('a request that is lost', () => {
  test('over 2026-07-28: the write goes on, and the same call joins it', async () => {
    const client = await connect('http', '2026-07-28', 'run-lost');
    const inputs = order({ answer_delay_ms: 2_000 });
    const giving = new AbortController();
    const lost = client.callTool({ name: 'probe_http_effect', arguments: inputs }, { signal: giving.signal }).catch(() => 'lost');
    const { idempotency_key } = await recorded(inputs.account);
    await expect.poll(async () => (await counterparty.effectsOf(idempotency_key)).length, { timeout: 10_000 }).toBe(1);
    giving.abort();
    expect(await lost).toBe('lost');
    const again = await client.callTool({ name: 'probe_http_effect', arguments: inputs });
    expect([again.isError, keyOf(again)]).toEqual([false, idempotency_key]);
    expect(await counterparty.effectsOf(idempotency_key)).toHaveLength(1);
  });

  test('a read is aborted', async () => {
    const client = await connect('http', '2026-07-28');
    const giving = new AbortController();
    const lost = client.callTool({ name: 'probe_slow', arguments: { duration_ms: 60_000 } }, { signal: giving.signal }).catch(() => 'lost');
    await sleep(1_000);
    giving.abort();
    await lost;
    const read = async () =>
      (await admin.request<{ items: Envelope[] }>('GET', '/v1/calls?limit=1&tool=probe_slow&fields=status')).body.items[0]?.status;
    await expect.poll(read, { timeout: 10_000 }).toBe('cancelled');
  });

  const cancels: readonly [Way, Revision][] = [
    ['http', '2025-11-25'],
    ['http', '2025-06-18'],
    ['stdio', '2026-07-28'],
    ['stdio', '2025-11-25'],
  ];

  test.each(cancels)('a cancellation over %s of %s stops a call that waits for a person', async (way, revision) => {
    const client = await connect(way, revision);
    const inputs = order();
    const giving = new AbortController();
    const lost = client.callTool({ name: 'probe_approval', arguments: inputs }, { signal: giving.signal }).catch(() => 'lost');
    const { call_id } = await recorded(inputs.account);
    await admin.callUntil(call_id, ({ status }) => status === 'pending_approval');
    giving.abort('the user pressed Escape');
    expect(await lost).toBe('lost');
    const { idempotency_key } = await admin.callUntil(call_id, ({ status }) => status === 'cancelled');
    expect(await counterparty.effectsOf(idempotency_key)).toHaveLength(0);
  });

  test.each(cancels)('a cancellation over %s of %s leaves alone what has fired', async (way, revision) => {
    const client = await connect(way, revision);
    const inputs = order({ answer_delay_ms: 2_000 });
    const giving = new AbortController();
    const lost = client.callTool({ name: 'probe_http_effect', arguments: inputs }, { signal: giving.signal }).catch(() => 'lost');
    const { call_id, idempotency_key } = await recorded(inputs.account);
    await expect.poll(async () => (await counterparty.effectsOf(idempotency_key)).length, { timeout: 10_000 }).toBe(1);
    giving.abort();
    await lost;
    expect(await admin.callUntil(call_id, ({ status }) => !status.startsWith('pending') && status !== 'running')).toMatchObject({
      status: 'succeeded',
    });
    expect(await counterparty.effectsOf(idempotency_key)).toHaveLength(1);
  });
});

describe('a stdio client', () => {
  test('keeps its connection when the gateway starts again', async () => {
    const client = await connect('stdio', '2025-11-25');
    await client.callTool({ name: 'probe_effect', arguments: order() });
    await platform.process.stop();
    await platform.up();
    const result = await client.callTool({ name: 'probe_effect', arguments: order() });
    expect(result).toMatchObject({ isError: false, structuredContent: { ok: true } });
  }, 60_000);
});
