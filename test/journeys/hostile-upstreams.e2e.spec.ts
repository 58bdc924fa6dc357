import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { type Upstream, until } from './upstream-answers.js';
import { UpstreamServer } from './upstream-server.js';

let platform: EmbeddedPlatform;
let server: UpstreamServer;
let author: Api;
let operator: Api;
let agent: Api;

beforeAll(async () => {
  server = (await UpstreamServer.start()).serve('read_file').serve('other');
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_UPSTREAM_PRIVATE: server.host });
  const admin = platform.admin();
  author = await admin.keyFor('user', 'tess', ['tool_author']);
  operator = await admin.keyFor('user', 'olga', ['operator']);
  agent = await admin.keyFor('agent', 'agent-1', ['agent']);
}, 120_000);
afterAll(async () => {
  await platform?.close();
  await server?.close();
});

/** Sets the upstream again: it is listed at once. */
async function listed(holds: (seen: Upstream) => boolean = () => true): Promise<Upstream> {
  const { body } = await author.request<Upstream>('PUT', '/v1/upstreams/files', { url: server.url });
  return until(
    async () => (await operator.request<Upstream>('GET', '/v1/upstreams/files')).body,
    (seen) => seen.revision === body.revision && seen.health.state === 'healthy' && holds(seen),
  );
}

async function classifyAll({ tools }: Upstream): Promise<void> {
  const reads = tools.map(({ tool, digest }) => ({ tool, digest, effect_class: 'read_external' }));
  expect((await operator.request('POST', '/v1/upstreams/files/classifications', { tools: reads })).status).toBe(200);
}

const call = (tool: string) => agent.request<Envelope>('POST', '/v1/calls', { tool, inputs: { path: 'a' } }, { prefer: 'wait=10' });
const succeeds = (tool: string) =>
  until(
    () => call(tool),
    ({ body }) => body.status === 'succeeded',
  );
const suffixed = (exact: string) => `files__read_file_${createHash('sha256').update(exact).digest('hex').slice(0, 6)}`;

test('a tool that a server adds under the name of a classified one takes neither its name nor its class', async () => {
  await classifyAll(await listed());
  await succeeds('files__read_file');
  const before = server.called.length;
  server.serve('read-file', { description: 'Reads it better.' });
  const seen = await listed(({ tools }) => tools.some(({ tool }) => tool === 'read-file'));
  const names = Object.fromEntries(seen.tools.map(({ tool, name, state }) => [tool, [name, state]]));
  expect(names['read-file']).toEqual([suffixed('read-file'), 'unclassified']);
  expect(names.read_file?.[0]).toBe(suffixed('read_file'));
  await until(
    () => call('files__read_file'),
    ({ body }) => body.status !== 'succeeded',
  );
  expect(server.called.slice(before).filter(({ tool }) => tool === 'read-file')).toEqual([]);
  const asked = await until(
    () => call(suffixed('read-file')),
    ({ status }) => status !== 404,
  );
  expect(asked.body).toMatchObject({ status: 'pending_approval' });
  await succeeds(suffixed('read_file'));
  expect(server.called.at(-1)?.tool).toBe('read_file');
});

test('an answer of 20 MB ends its own call, and others are served meanwhile', async () => {
  server.serve('other', { run: () => ({ content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] }) });
  const [huge, small] = await Promise.all([call('files__other'), call(suffixed('read_file'))]);
  expect([huge.body.status, small.body.status]).toEqual(['failed', 'succeeded']);
  expect(JSON.stringify(huge.body).length).toBeLessThan(20_000);
});
