import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { until } from './upstream-answers.js';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../openapi/documents');
const STRIPE = readFileSync(path.join(folder, 'stripe-2022-04-12.json.gz')).toString('base64');
/** So much of an import is on disk when the platform is killed. */
const BEGUN_BYTES = 200_000;

let platform: EmbeddedPlatform;
let author: Api;

beforeAll(async () => {
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace' });
  author = await platform.admin().keyFor('user', 'tess', ['tool_author']);
}, 120_000);
afterAll(() => platform?.close());

interface Imported {
  tools: { name: string; version: string; change: string }[];
  detail?: string;
}

const imported = (name: string, more: object) => author.request<Imported>('POST', '/v1/openapi-imports', { name, ...more });
const stripe = () => imported('stripe', { security_scheme: 'bearerAuth', document_gzip: STRIPE });

/** The tools of an import that agents are offered, with their versions. */
async function offered(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const url = `/v1/tools?limit=500${query}`;
    const { body } = await author.request<{ items: { name: string; version: string }[]; next_cursor: string | null }>('GET', url);
    found.push(...body.items.filter(({ name }) => name.startsWith(prefix)).map(({ name, version }) => `${name}@${version}`));
    cursor = body.next_cursor;
  }
  return found;
}

const allOffered = () =>
  until(
    () => offered('stripe__'),
    (tools) => tools.length === 416,
  );

/** What is on the log. */
function logBytes(): number {
  const log = path.join(platform.dataDir, 'log');
  return readdirSync(log).reduce((sum, name) => sum + statSync(path.join(log, name)).size, 0);
}

describe('an import', () => {
  const document = (paths: object) =>
    JSON.stringify({ openapi: '3.0.3', info: { title: 'A', version: '1' }, servers: [{ url: 'https://a.example.com' }], paths });
  const get = { summary: 'Read one', responses: { 200: { description: 'It.' } } };

  test('of 10,000 operations is refused with what to do, and those that are chosen are imported', async () => {
    const paths = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`/p${at}`, { get }]));
    const document_gzip = gzipSync(document(paths)).toString('base64');
    const refused = await imported('many', { document_gzip });
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('has 10000 operations; one import takes at most')]);
    expect((await author.request('GET', '/v1/openapi-imports/many')).status).toBe(404);
    const chosen = await imported('many', { document_gzip, only: ['GET /p77'] });
    expect([chosen.status, chosen.body.tools.length]).toEqual([201, 1]);
  });

  test('with a description of 1 MB keeps a short one', async () => {
    const long = document({ '/a': { get: { ...get, operationId: 'look', description: 'word '.repeat(200_000) } } });
    expect((await imported('wordy', { document_gzip: gzipSync(long).toString('base64') })).status).toBe(201);
    await until(
      () => offered('wordy__'),
      (tools) => tools.length === 1,
    );
    const { body } = await author.request<{ description: string }>('GET', '/v1/tools/wordy__look');
    expect(body.description.length).toBeLessThan(3_000);
  });
});

test('an import during which the platform is killed is whole or absent, and repeated it has each tool once', async () => {
  const before = logBytes();
  const answer = stripe().catch(() => undefined);
  await until(
    async () => logBytes() - before,
    (bytes) => bytes > BEGUN_BYTES,
  );
  await platform.process.stop('SIGKILL');
  await answer;
  await platform.up();
  const known = await author.request('GET', '/v1/openapi-imports/stripe');
  if (known.status === 404) expect(await offered('stripe__')).toEqual([]);
  else await allOffered();
  expect((await stripe()).status).toBe(201);
  const tools = await allOffered();
  expect(new Set(tools.map((tool) => tool.split('@')[1]))).toEqual(new Set(['1.0.0']));
  const again = await stripe();
  expect(new Set(again.body.tools.map(({ change }) => change))).toEqual(new Set(['unchanged']));
}, 180_000);
