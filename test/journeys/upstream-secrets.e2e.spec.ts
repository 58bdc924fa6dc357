import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { type Upstream, until } from './upstream-answers.js';
import { UpstreamServer } from './upstream-server.js';

const SHARED = '/v1/secrets/org/SharedToken';
const OWN = '/v1/secrets/workspace/SharedToken';

let platform: EmbeddedPlatform;
let server: UpstreamServer;
let author: Api;
let operator: Api;
let agent: Api;
let rival: Api;

beforeAll(async () => {
  server = (await UpstreamServer.start()).serve('read_file');
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_UPSTREAM_PRIVATE: server.host });
  const admin = platform.admin();
  await admin.request('POST', '/v1/tenants', { tenant_id: 'rival' });
  rival = await admin.keyFor('user', 'ria', ['admin'], 'rival');
  author = await admin.keyFor('user', 'tess', ['tool_author'], 'rival');
  operator = await admin.keyFor('user', 'olga', ['operator'], 'rival');
  agent = await admin.keyFor('agent', 'agent-1', ['agent'], 'rival');
}, 120_000);

afterAll(async () => {
  await platform?.close();
  await server?.close();
});

const set = () => author.request('PUT', '/v1/upstreams/chosen', { url: server.url, credentials: [{ secret: 'SharedToken' }] });
const healthIs = (state: string) =>
  until(
    async () => (await operator.request<Upstream>('GET', '/v1/upstreams/chosen')).body,
    ({ health }) => health.state === state,
  );
const read_file = async () =>
  (await agent.request<Envelope>('POST', '/v1/calls', { tool: 'chosen__read_file', inputs: { path: 'a' } }, { prefer: 'wait=3' })).body;

test('a server that a tenant chose gets no secret of the installation, neither for a listing nor for a call', async () => {
  await platform.admin().request('PUT', SHARED, { value: 'a value of the installation' });
  await set();
  expect(JSON.stringify((await healthIs('unhealthy')).health)).toContain('the secret SharedToken is absent');
  await rival.request('PUT', OWN, { value: 'a value of their own' });
  await set();
  const { tools } = await healthIs('healthy');
  const read = { tool: 'read_file', digest: tools[0]?.digest, effect_class: 'read_internal' };
  await operator.request('POST', '/v1/upstreams/chosen/classifications', { tools: [read] });
  await until(read_file, ({ status }) => status === 'succeeded');
  await rival.request('DELETE', OWN);
  const before = server.timesCalled('read_file');
  expect((await read_file()).error).toMatchObject({ code: 'AUTH_REQUIRED', details: { reissue: [{ name: 'SharedToken' }] } });
  expect(server.timesCalled('read_file')).toBe(before);
}, 120_000);
