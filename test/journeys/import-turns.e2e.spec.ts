import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { type MeasuredTurn, TurnMeasure } from './measured-turns.js';
import { until } from './upstream-answers.js';
import { UpstreamServer } from './upstream-server.js';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../openapi/documents');
/**
 * The rule for every turn of the event loop, on the machine of the benches; one that is slower in this minute has as much more (the same
 * measure as `bench:claims`). All services have their turns in one thread here, beside a profiler; CPU time of the thread is measured,
 * without the collection of garbage. Measured: up to 14 ms for a first call, 16 for an import, 13 for a listing.
 */
const TURN_MS = 20;
const { slowness } = (await import(pathToFileURL(path.resolve('bench/parts/reference-work.mjs')).href)) as { slowness: () => number };

let platform: EmbeddedPlatform;
let server: UpstreamServer;
let other: UpstreamServer;
let measure: TurnMeasure;
let author: Api;
let agent: Api;

beforeAll(async () => {
  server = await UpstreamServer.start();
  for (let at = 0; at < 200; at++) server.serve(`tool_${at}`, { description: `Does number ${at}. ${'More words about it. '.repeat(400)}` });
  server.serve('long', {
    run: () => ({ content: Array.from({ length: 4_000 }, (_, at) => ({ type: 'text', text: `row ${at} of many` })) }),
  });
  other = (await UpstreamServer.start()).serve('look');
  measure = new TurnMeasure();
  const private_hosts = [server.host, other.host].join();
  const env = { COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_UPSTREAM_PRIVATE: private_hosts, ...measure.env };
  platform = await EmbeddedPlatform.start(env);
  author = await platform.admin().keyFor('user', 'tess', ['tool_author']);
  agent = await platform.admin().keyFor('agent', 'agent-1', ['agent']);
  // The client of the protocol is loaded once, with the first session.
  await author.request('PUT', '/v1/upstreams/first', { url: other.url });
  await until(
    () => offered('first__'),
    (count) => count === 1,
  );
}, 120_000);
afterAll(async () => {
  await platform?.close();
  await server?.close();
  await other?.close();
  measure?.close();
});

async function offered(prefix: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await agent.request<{ items: { name: string }[]; next_cursor: string | null }>('GET', `/v1/tools?limit=100${query}`);
    count += body.items.filter(({ name }) => name.startsWith(prefix)).length;
    cursor = body.next_cursor;
  }
  return count;
}

/** Fails if there is no turn. */
function expectShort(turns: readonly MeasuredTurn[]): void {
  const machine = slowness();
  expect(turns[0]?.own_ms, JSON.stringify({ machine, turns: turns.slice(0, 5) })).toBeLessThan(TURN_MS * Math.max(1, machine));
}

test('the first call of a process holds no turn of the event loop for long', async () => {
  const turns = await measure.during(platform.process.pid, async () => {
    const { body } = await agent.call({ tool: 'list_directory', inputs: { path: '.' } }, { prefer: 'wait=10' });
    expect(body.status).toBe('succeeded');
  });
  if (turns.length > 0) expectShort(turns); // a quick machine may have no turn that is long enough to be kept
}, 120_000);

test('an import of 417 operations, their announcement and a first call hold no turn of the event loop for long', async () => {
  const document_gzip = readFileSync(path.join(folder, 'stripe-2022-04-12.json.gz')).toString('base64');
  const turns = await measure.during(platform.process.pid, async () => {
    const body = { name: 'stripe', security_scheme: 'bearerAuth', document_gzip };
    expect((await author.request('POST', '/v1/openapi-imports', body)).status).toBe(201);
    await until(
      () => offered('stripe__'),
      (count) => count === 416,
    );
    const first = await agent.call({ tool: 'stripe__get_charges', inputs: {} }, { prefer: 'wait=10' });
    expect(first.body.error).toMatchObject({ code: 'AUTH_REQUIRED' });
  });
  expectShort(turns);
}, 120_000);

test('nor does a listing of 200 tools with 8,000 characters each', async () => {
  const turns = await measure.during(platform.process.pid, async () => {
    await author.request('PUT', '/v1/upstreams/many', { url: server.url });
    await until(
      () => offered('many__'),
      (count) => count > 150,
    );
  });
  expectShort(turns);
}, 120_000);
