import { setTimeout as sleep } from 'node:timers/promises';
import { sampleContract } from '@countersign/calls/testing/samples';
import { encodeProgress, progressChannel } from '@countersign/process';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GatewaysOnOneLog } from '../testing/gateways-on-one-log.js';
import { callOf, mcpClient, REVISIONS, type Revision } from '../testing/mcp-client.js';
import { TestGateway } from '../testing/test-gateway.js';

const EARLIER: readonly Revision[] = ['2025-11-25', '2025-06-18'];

let gateway: TestGateway;
let agent: string;
let path: string;
beforeAll(async () => {
  gateway = await TestGateway.open({}, { wait_ms: 20_000, sessions_per_tenant_max: 3 });
  agent = await gateway.keyFor('agent-1', ['agent']);
  // The script rules on no call of this tool: it does not end by itself.
  await gateway.parts.standIn.register(sampleContract({ name: 'unruled', version: '9.0.0', effect_class: 'read_internal' }));
});
afterAll(() => gateway.close());
beforeEach(() => {
  path = `p-${Math.random()}`;
});

const connect = (revision: Revision, key = agent, url = gateway.url): Promise<Client> => mcpClient({ url, key, revision });

interface Call {
  call_id: string;
  status: string;
  approval: { approval_id: string };
}

/** The call with the path of this test. */
async function recorded(): Promise<Call | undefined> {
  const requests = await gateway.events('tool-call-requested');
  const mine = requests.find(({ call }) => call?.inputs_json.includes(path));
  if (!mine) return undefined;
  const { status, body } = await gateway.send('GET', `/v1/calls/${mine.meta.call_id}`);
  return status === 200 ? body : undefined;
}

const statusNow = async () => (await recorded())?.status;

/** Calls the tool, and gives the request up once the call is recorded. */
async function giveUp(client: Client, name: string, progress = false): Promise<void> {
  const giving = new AbortController();
  const options = { signal: giving.signal, timeout: 30_000, ...(progress ? { onprogress: () => undefined } : {}) };
  const calling = client.callTool({ name, arguments: { path, text: 'x' } }, options).catch(() => undefined);
  await expect.poll(statusNow, { timeout: 5_000 }).toBeDefined();
  giving.abort();
  await calling;
}

describe('a request that its client gives up', () => {
  test('a closed stream leaves a write alone', async () => {
    const client = await connect('2026-07-28');
    await giveUp(client, 'ask_first');
    await sleep(300);
    const { call_id, status, approval } = (await recorded()) as Call;
    expect(status).toBe('pending_approval');
    await gateway.send('POST', `/v1/approvals/${approval.approval_id}/votes`, { vote: 'approve', reason: 'ok' });
    expect((await gateway.send('GET', `/v1/calls/${call_id}`)).body.status).toBe('succeeded');
    await client.close();
  });

  test('a closed stream aborts a read', async () => {
    const client = await connect('2026-07-28');
    await giveUp(client, 'unruled', true);
    await expect.poll(statusNow, { timeout: 5_000 }).toBe('cancelled');
    await client.close();
  });

  test.each(EARLIER)('a cancellation of %s stops a write that has not fired', async (revision) => {
    const client = await connect(revision);
    await giveUp(client, 'ask_first');
    await expect.poll(statusNow, { timeout: 5_000 }).toBe('cancelled');
    const [cancelled] = (await gateway.events('tool-call-requested')).filter(({ only_before_fire }) => only_before_fire);
    expect(cancelled).toMatchObject({ reason: 'the client cancelled its request', principal: { id: 'agent-1' } });
    await client.close();
  });

  test('the end of a session stops no write', async () => {
    const client = await connect('2025-11-25');
    const calling = client.callTool({ name: 'ask_first', arguments: { path, text: 'x' } }).catch(() => undefined);
    await expect.poll(statusNow, { timeout: 5_000 }).toBe('pending_approval');
    await (client.transport as { terminateSession?: () => Promise<void> }).terminateSession?.();
    await client.close();
    await calling;
    await sleep(300);
    expect(await statusNow()).toBe('pending_approval');
  });
});

describe('progress', () => {
  test.each(REVISIONS)('a client of %s that asks for it hears what a call waits for, and the progress of its tool', async (revision) => {
    const client = await connect(revision);
    const heard: { progress: number; message?: string }[] = [];
    const calling = client.callTool({ name: 'ask_first', arguments: { path, text: 'x' } }, { onprogress: (one) => heard.push(one) });
    await expect.poll(() => heard[0]?.message, { timeout: 5_000 }).toContain('waits for an approval by approver until 2');
    const { call_id, approval } = (await recorded()) as Call;
    gateway.deps.wake_ups.publish(progressChannel('shared'), [
      encodeProgress({ call_id, tenant_id: 'default', fraction: 0.5, message: 'half' }),
    ]);
    await expect.poll(() => heard.some(({ message }) => message === 'half'), { timeout: 5_000 }).toBe(true);
    await gateway.send('POST', `/v1/approvals/${approval.approval_id}/votes`, { vote: 'approve', reason: 'ok' });
    expect(callOf(await calling)).toMatchObject({ call_id, status: 'succeeded' });
    const steps = heard.map(({ progress }) => progress);
    expect([...new Set(steps)].sort((a, b) => a - b)).toEqual(steps);
    await client.close();
  });
});

describe('sessions of earlier revisions', () => {
  const raw = (session: string | null, key: string, url = gateway.url) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(session === null ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  const sessionOf = (client: Client) => client.transport?.sessionId as string;

  test('a session is of no use to another principal of the tenant', async () => {
    const client = await connect('2025-11-25');
    expect((await raw(sessionOf(client), agent)).status).toBe(200);
    const other = await gateway.keyFor('agent-9', ['agent']);
    const stolen = await raw(sessionOf(client), other);
    expect([stolen.status, await stolen.json()]).toMatchObject([404, { error: { code: -32001 } }]);
    await client.close();
  });

  test('a tenant has a bounded number of sessions; the least recently used one makes room', async () => {
    const first = await connect('2025-11-25');
    const id = sessionOf(first);
    const more = await Promise.all([1, 2, 3].map(() => connect('2025-11-25')));
    expect((await raw(id, agent)).status).toBe(404);
    for (const client of more) expect((await raw(sessionOf(client), agent)).status).toBe(200);
    await Promise.all([first, ...more].map((client) => client.close()));
  });

  test('a gateway that did not make a session answers 404, and a request of 2026-07-28 is answered by every gateway', async () => {
    const world = await GatewaysOnOneLog.open(2, ['write_note']);
    const [here, there] = world.gateways.map(({ port }) => `http://127.0.0.1:${port}`) as [string, string];
    const made = await world.ask(0, 'POST', '/v1/keys', { principal: { kind: 'agent', id: 'a', roles: ['agent'] } });
    const key = made.body.key as string;
    const client = await connect('2025-11-25', key, here);
    await expect.poll(async () => (await raw(sessionOf(client), key, there)).status).toBe(404);
    const modern = await connect('2026-07-28', key, there);
    expect((await modern.listTools()).tools.map(({ name }) => name)).toEqual(['write_note', 'get_call']);
    await client.close();
    await modern.close();
    await world.close();
  }, 60_000);
});

describe('changes of the list of tools', () => {
  test.each(REVISIONS)(
    'a client of %s with an open stream hears of a change that concerns it',
    async (revision) => {
      const changed: number[] = [];
      const client = await connect(revision);
      if (revision === '2026-07-28') await client.listen({ toolsListChanged: true });
      client.setNotificationHandler('notifications/tools/list_changed', () => void changed.push(Date.now()));
      await sleep(1_200);
      await gateway.keyFor(`unrelated-${revision}`, ['auditor']);
      await sleep(1_500);
      expect(changed).toEqual([]);
      await gateway.send('PUT', '/v1/policies/tools/write_note', { tier: 'tier_3_blocked' });
      await expect.poll(() => changed.length, { timeout: 4_000 }).toBe(1);
      await gateway.send('DELETE', '/v1/policies/tools/write_note');
      await expect.poll(() => changed.length, { timeout: 4_000 }).toBe(2);
      await client.close();
    },
    20_000,
  );
});
