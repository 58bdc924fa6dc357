import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { TwoGateways } from './two-gateways.js';
import { type Upstream, until } from './upstream-answers.js';
import { UpstreamServer } from './upstream-server.js';

const CONFIGURATION = 'configuration-changed';
const REGISTERED = 'tool-registered';
const ROUNDS = 5;

interface Named {
  upstream?: string;
  revision?: number;
  name?: string;
  version?: string;
  tool?: string;
  digest?: string;
}

let two: TwoGateways;
let server: UpstreamServer;
let admins: [Api, Api];

beforeAll(async () => {
  server = (await UpstreamServer.start()).serve('read_file').serve('write_file');
  two = await TwoGateways.start({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_UPSTREAM_PRIVATE: server.host });
  admins = [two.at(0), two.at(1)];
}, 120_000);
afterAll(async () => {
  await two?.close();
  await server?.close();
});

const set = (at: Api, name: string, body: object = { url: server.url }, headers: Record<string, string> = {}) =>
  at.request<Upstream>('PUT', `/v1/upstreams/${name}`, body, headers);

/** The events of an upstream on the log that have an effect, by type. A change that lost a race is on the log without one. */
async function events(topic: string, event_type: string, upstream: string): Promise<Named[]> {
  const { refused } = (await two.folded()).changes;
  const records = (await two.recorded(topic)).filter((record) => record.event_type === event_type);
  const effective = records.filter(({ offset }) => topic !== CONFIGURATION || !refused.has(offset)).map(({ event }) => event as Named);
  return effective.filter((event) => event.upstream === upstream || event.name?.startsWith(`${upstream}__`));
}

const listed = (name: string, revision: number) =>
  until(
    () => events(REGISTERED, 'upstream_listed', name),
    (found) => found.at(-1)?.revision === revision,
  );

test('each PUT is announced once, also the same again: it is a revision and a listing of its own, and announces no tool again', async () => {
  for (let revision = 1; revision <= 3; revision++) {
    const { status, body } = await set(admins[revision % 2 === 0 ? 0 : 1], 'files');
    expect([status, body.revision]).toEqual([200, revision]);
    await listed('files', revision);
  }
  const announced = () => events(REGISTERED, 'tool_registered', 'files');
  await until(announced, (found) => found.length >= 2);
  // The timeout of an upstream is that of its tools: they are announced with it, under their version.
  await set(admins[0], 'files', { url: server.url, timeout_ms: 5_000 });
  await listed('files', 4);
  await until(announced, (found) => found.length >= 4);
  const revisions = (found: Named[]) => found.map(({ revision }) => revision);
  expect(revisions(await events(CONFIGURATION, 'upstream_set', 'files'))).toEqual([1, 2, 3, 4]);
  expect(revisions(await events(REGISTERED, 'upstream_listed', 'files'))).toEqual([1, 2, 3, 4]);
  expect((await events(REGISTERED, 'upstream_tool_listed', 'files')).map(({ tool }) => tool).sort()).toEqual(['read_file', 'write_file']);
  const digests = (await announced()).map(({ name, version, digest }) => `${name}@${version} ${digest}`);
  expect([digests.length, new Set(digests).size]).toEqual([4, 4]);
});

test('of PUTs that race at two gateways each is announced once, in one order', async () => {
  const answers = await Promise.all(Array.from({ length: 2 * ROUNDS }, (_, at) => set(admins[at % 2 === 0 ? 0 : 1], 'raced')));
  expect(answers.map(({ status }) => status)).toEqual(Array(2 * ROUNDS).fill(200));
  const revisions = (await events(CONFIGURATION, 'upstream_set', 'raced')).map(({ revision }) => revision);
  expect(revisions).toEqual(Array.from({ length: 2 * ROUNDS }, (_, at) => at + 1));
  expect(answers.map(({ body }) => body.revision).sort((a, b) => a - b)).toEqual(revisions);
});

test('of PUTs with one If-Match at two gateways one is announced, and the refused one never', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await events(CONFIGURATION, 'upstream_set', 'raced');
    const etag = (await admins[0].request('GET', '/v1/upstreams/raced')).headers.get('etag') as string;
    const both = await Promise.all(
      admins.map((at) => set(at, 'raced', { url: server.url, timeout_ms: 2_000 + round }, { 'if-match': etag })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(await events(CONFIGURATION, 'upstream_set', 'raced')).toHaveLength(before.length + 1);
  }
});

test('an operator who looked before the server changed its tools classifies nothing, with the ETag of the list or of the tool', async () => {
  interface Listed {
    items: { tool: string; etag: string; pinned: { digest: string }; listed: { digest: string } | null }[];
  }
  const read = () => admins[0].request<Listed>('GET', '/v1/upstreams/files/tools');
  const seen = await read();
  const etag = seen.headers.get('etag') as string;
  const of = (tool: string) => seen.body.items.find((item) => item.tool === tool) as Listed['items'][number];
  server.serve('read_file', { description: 'Says something else since.' });
  await set(admins[0], 'files');
  await listed('files', 5);
  await until(read, ({ headers }) => headers.get('etag') !== etag);
  const classify = (tool: string, more: object, headers: Record<string, string> = {}) => {
    const tools = [{ tool, digest: of(tool).pinned.digest, effect_class: 'commit_low', ...more }];
    return admins[1].request('POST', '/v1/upstreams/files/classifications', { tools }, headers);
  };
  // The pinned definition stands still: it is the pending change that was not seen.
  expect((await classify('read_file', { etag: of('read_file').etag })).status).toBe(412);
  expect((await classify('write_file', {}, { 'if-match': etag })).status).toBe(412);
  expect(await events(CONFIGURATION, 'upstream_tool_classified', 'files')).toEqual([]);
  expect((await classify('write_file', { etag: of('write_file').etag })).status).toBe(200);
  expect(await events(CONFIGURATION, 'upstream_tool_classified', 'files')).toHaveLength(1);
});
