import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { readInvoice } from './http-tool-bodies.js';
import { callOf, mcpClient } from './mcp-clients.js';
import { type Upstream, until } from './upstream-answers.js';
import { UpstreamServer } from './upstream-server.js';

const ALIAS = 'mcp_files_read_file';
const NAME = 'files__read_file';

let platform: EmbeddedPlatform;
let server: UpstreamServer;
let admin: Api;
let agent: Api;
let other: Api;
let stranger: Api;
let path = 0;

beforeAll(async () => {
  server = (await UpstreamServer.start()).serve('read_file').serve('write_file');
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_UPSTREAM_PRIVATE: server.host });
  admin = platform.admin();
  await admin.request('POST', '/v1/tenants', { tenant_id: 'rival' });
  agent = await admin.keyFor('agent', 'agent-1', ['agent']);
  other = await admin.keyFor('agent', 'agent-2', ['agent']);
  stranger = await admin.keyFor('agent', 'agent-1', ['agent'], 'rival');
  await admin.request('PUT', '/v1/upstreams/files', { url: server.url });
  await until(upstream, ({ health }) => health.state === 'healthy');
  await classify({ alias: { ttl_ms: 3_600_000 } });
}, 120_000);

afterAll(async () => {
  await platform?.close();
  await server?.close();
});

/** Each test reads a file of its own. */
beforeEach(() => {
  path++;
});

const upstream = async () => (await admin.request<Upstream>('GET', '/v1/upstreams/files')).body;
const call = (tool: string, by: Api, more: object = {}) =>
  by.request<Envelope>('POST', '/v1/calls', { tool, inputs: { path: String(path) }, context: {}, ...more }, { prefer: 'wait=20' });
const read = async (tool = ALIAS, by = agent, more: object = {}) => (await call(tool, by, more)).body;
const asked = () => server.timesCalled('read_file');

async function classify(more: object): Promise<void> {
  const { tools } = await upstream();
  const seen = new Map(tools.map(({ tool, digest, listed_digest }) => [tool, listed_digest ?? digest]));
  const answer = await admin.request<{ items: { version: string }[] }>('POST', '/v1/upstreams/files/classifications', {
    tools: [
      { tool: 'read_file', digest: seen.get('read_file'), effect_class: 'read_internal', ...more },
      { tool: 'write_file', digest: seen.get('write_file'), effect_class: 'commit_low' },
    ],
  });
  expect(answer.status).toBe(200);
  for (const { version } of answer.body.items.slice(0, 1))
    await until(
      async () => (await agent.request<{ version: string }>('GET', `/v1/tools/${NAME}`)).body.version,
      (runs) => runs === version,
    );
}

/** Reads by the alias until a second read needs no request. @returns the first of the two */
async function cached(): Promise<Envelope> {
  const first = await read();
  expect(first).toMatchObject({ status: 'succeeded', cached: false });
  const before = asked();
  expect(await read()).toMatchObject({ status: 'succeeded', cached: true });
  expect(asked()).toBe(before);
  return first;
}

async function activate(rules: object[] | null): Promise<void> {
  const version = rules && (await admin.request<{ version: string }>('POST', '/v1/policies', { rules })).body.version;
  expect((await admin.request('PUT', '/v1/policies/active', { version, shadow: null })).status).toBe(200);
}

describe('a call by an alias', () => {
  test('is a call of the tool; the second is answered without a request, with the age of the first', async () => {
    const first = await cached();
    expect(first).toMatchObject({ name: NAME, version: '1.0.0' });
    const again = await read();
    expect(again).toMatchObject({ name: NAME, cached: true, output: first.output, decision: { effect: 'allow' } });
    expect(again.call_id).not.toBe(first.call_id);
    expect(again.provenance).toEqual(first.provenance);
    expect(again.decision?.decision_id).not.toBe(first.decision?.decision_id);
  });

  test('leaves calls by the name of the tool uncached', async () => {
    await cached();
    const before = asked();
    expect(await read(NAME)).toMatchObject({ status: 'succeeded', cached: false });
    expect(asked()).toBe(before + 1);
  });

  test('never gets what another principal was answered, nor another purpose', async () => {
    await cached();
    expect(await read(ALIAS, other)).toMatchObject({ status: 'succeeded', cached: false });
    expect(await read(ALIAS, agent, { context: { purpose: 'audit' } })).toMatchObject({ status: 'succeeded', cached: false });
  });

  test('is no call in another tenant', async () => {
    await cached();
    expect((await call(ALIAS, stranger)).status).toBe(404);
    expect((await stranger.request('GET', `/v1/tools/${ALIAS}`)).status).toBe(404);
  });

  test('is answered from before a write of the upstream until its time is over; the name of the tool reads anew', async () => {
    await cached();
    expect((await call('files__write_file', agent)).body.status).toBe('succeeded');
    expect((await read()).cached).toBe(true);
    expect((await read(NAME)).cached).toBe(false);
  });

  test('needs its name: no tool at an endpoint may take it', async () => {
    const body = readInvoice('https://tools.example.com/', { name: ALIAS, effect_class: 'read_external' });
    const taken = await admin.request<{ reason: string }>('POST', '/v1/tools', body);
    expect([taken.status, taken.body.reason]).toEqual([409, 'tool_name_taken']);
  });

  test('is for calls: rules, tool policies and sagas name the tool', async () => {
    const rules = [{ id: 'none', tools: { names: [ALIAS] }, effect: 'deny' }];
    expect((await admin.request('POST', '/v1/policies', { rules })).status).toBe(422);
    expect((await admin.request('PUT', `/v1/policies/tools/${ALIAS}`, { tier: 'tier_3_blocked' })).status).toBe(422);
    const definition = { name: 'reads', version: '1.0.0', steps: [{ id: 'read', tool: ALIAS, inputs: { path: 'a' } }] };
    expect((await agent.request('POST', '/v1/sagas', { definition, inputs: {} })).status).toBe(404);
  });

  test('is listed to MCP clients beside the tool, and called by them', async () => {
    const client = await mcpClient({ way: 'http', revision: '2025-11-25', url: platform.base, key: agent.key });
    const { tools } = await client.listTools();
    const first = await client.callTool({ name: ALIAS, arguments: { path: String(path) } });
    const again = await client.callTool({ name: ALIAS, arguments: { path: String(path) } });
    await client.close();
    expect([callOf(first as never).cached, callOf(again as never).cached]).toEqual([false, true]);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([ALIAS, NAME]));
    expect(tools.find(({ name }) => name === ALIAS)?.description).toContain(`${NAME} reads anew`);
  });
});

test('an alias is listed also where tools are searched, for those alone whose calls policy does not all deny', async () => {
  const listed = async () => {
    const client = await mcpClient({ way: 'http', revision: '2025-11-25', url: platform.base, key: agent.key, tools: 'search' });
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name).filter((name) => name === ALIAS || name === NAME);
  };
  expect(await listed()).toEqual([ALIAS]);
  await activate([{ id: 'none', tools: { names: [NAME] }, effect: 'deny' }]);
  expect(await listed()).toEqual([]);
  await activate(null);
});

describe('what policy says', () => {
  test('of the tool denies calls by its alias, although a result is cached; later it is asked again', async () => {
    await cached();
    await activate([{ id: 'none', tools: { names: [NAME] }, effect: 'deny' }]);
    const before = asked();
    expect(await read()).toMatchObject({ status: 'denied', cached: false, output: null, decision: { rule: 'none' } });
    expect(asked()).toBe(before);
    await activate(null);
    expect(await read()).toMatchObject({ status: 'succeeded', cached: false });
    expect(asked()).toBe(before + 1);
  });

  test('in a tool policy makes it ask again', async () => {
    await cached();
    expect((await admin.request('PUT', `/v1/policies/tools/${NAME}`, { tier: 'tier_1_auto' })).status).toBeLessThan(300);
    await cached();
    await admin.request('PUT', `/v1/policies/tools/${NAME}`, { tier: 'tier_3_blocked' });
    expect((await read()).status).toBe('denied');
    await admin.request('DELETE', `/v1/policies/tools/${NAME}`);
  });

  test('to hide of a result is cached for no other call', async () => {
    await activate([{ id: 'hide', tools: { names: [NAME] }, effect: 'allow', obligations: [{ redact: ['/content'] }] }]);
    expect(await read()).toMatchObject({ cached: false, output: { content: '[redacted]' } });
    expect(await read()).toMatchObject({ cached: false, output: { content: '[redacted]' } });
    await activate(null);
  });

  test('of a blocked version denies calls by the alias', async () => {
    await cached();
    const lifecycle = (state: string) => admin.request('PUT', `/v1/tools/${NAME}/versions/1.0.0/lifecycle`, { state });
    expect((await lifecycle('blocked')).status).toBe(200);
    expect((await read()).status).toBe('denied');
    await lifecycle('active');
    expect(await read()).toMatchObject({ status: 'succeeded', cached: false });
  });
});

describe('a change of the upstream', () => {
  test('in the words for the tool makes it ask again', async () => {
    await cached();
    server.serve('read_file', { description: 'Reads a file in another way.' });
    await admin.request('PUT', '/v1/upstreams/files', { url: server.url });
    await until(upstream, ({ tools }) => tools.some(({ tool, state }) => tool === 'read_file' && state === 'pending_change'));
    expect(await read()).toMatchObject({ status: 'succeeded', cached: false });
  });

  test('by its operator takes the alias away', async () => {
    await classify({});
    const gone = await call(ALIAS, agent);
    expect(gone.status).toBe(404);
    expect((await read(NAME)).status).toBe('succeeded');
  });
});
