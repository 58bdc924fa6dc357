import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { payInvoice, readInvoice } from './http-tool-bodies.js';

const GIB = 2 ** 30;
const PART = Buffer.alloc(1024 * 1024, 'x');
let server: Server;
let base: string;
let sent_bytes = 0;
let canary_hits = 0;
let platform: EmbeddedPlatform;
let author: Api;
let agent: Api;

/** Sends 1 GiB, unless its reader leaves. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (sent_bytes < GIB && !response.destroyed) {
      sent_bytes += PART.length;
      if (!response.write(PART)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

function act(what: string, response: ServerResponse): void {
  const json = (status: number, body: unknown, headers = {}) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const acts: Record<string, () => void> = {
    '/redirect': () => json(307, {}, { location: `${base}/canary` }),
    '/see-other': () => json(303, {}, { location: `${base}/canary` }),
    '/metadata': () => json(302, {}, { location: 'http://169.254.169.254/latest' }),
    '/canary': () => {
      canary_hits++;
      json(200, { result: { amount: 1, currency: 'EUR', served_by: 'canary' } });
    },
    '/flood': () => flood(response),
    '/hang': () => undefined,
    '/drip': () => void response.writeHead(200).write('{'),
    '/garbage': () => void response.end('\u0000<html>'),
    '/no-result': () => json(200, { output: 1 }),
    '/wrong': () => json(200, { result: { amount: 'many' } }),
    '/proto': () => json(200, { error: { code: '__proto__', message: 'x'.repeat(2000), class: 'constructor', details: { a: 1 } } }),
    '/bomb': () => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(1000)),
    '/cut': () => response.destroy(),
  };
  (acts[what] ?? (() => json(404, {})))();
}

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.once('end', () => act(request.url ?? '', response));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  platform = await EmbeddedPlatform.start({
    COUNTERSIGN_PACKS: 'workspace',
    COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: `${new URL(base).host},169.254.169.254,metadata.google.internal`,
  });
  author = await platform.admin().keyFor('user', 'tess', ['tool_author']);
  agent = await platform.admin().keyFor('agent', 'agent-1', ['agent']);
});
afterAll(async () => {
  await platform?.close();
  server.closeAllConnections();
  server.close();
});

const register = (body: object) =>
  author.request<{ reason?: string; validation?: { issues: { path: string }[] } }>('POST', '/v1/tools', body);
let registered = 0;

/** Registers a tool at this path, and calls it. */
async function outcomeAt(path: string, make: typeof readInvoice, more: object = {}) {
  const name = `hostile_${++registered}`;
  const { status, body } = await register(make(base + path, { name, timeout_ms: 20_000, max_output_bytes: 10_000, ...more }));
  expect([path, status, body]).toEqual([path, 201, body]);
  const { body: envelope } = await agent.request<Envelope>('POST', '/v1/calls', {
    tool: name,
    inputs: { invoice_id: 'inv-1' },
    context: {},
  });
  return envelope.status === 'running' ? agent.callUntil(envelope.call_id, ({ status: now }) => now !== 'running') : envelope;
}

test.each([
  'http://169.254.169.254/latest',
  'https://169.254.169.254/',
  'https://[fe80::1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://2852039166/',
  'https://metadata.google.internal/',
  'https://127.0.0.1/',
  'https://localhost/',
  'https://10.0.0.1/',
  'http://example.com/',
  'https://user:pass@example.com/',
  'ftp://example.com/',
  'nothing',
])('the endpoint %s is refused at its registration', async (endpoint) => {
  const { status, body } = await register(readInvoice(endpoint));
  expect([status, body.validation?.issues[0]?.path]).toEqual([400, '/endpoint']);
});

test('no redirect of an endpoint is followed: a read fails', async () => {
  for (const path of ['/redirect', '/see-other', '/metadata'])
    expect(await outcomeAt(path, readInvoice)).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_ERROR' } });
  expect(canary_hits).toBe(0);
});

test('a write whose server redirects is failed where nothing can have happened, else in doubt', async () => {
  const write = { functions: [], takes_key: false };
  expect((await outcomeAt('/redirect', payInvoice, write)).status).toBe('failed');
  expect((await outcomeAt('/see-other', payInvoice, write)).status).toBe('in_doubt');
  expect(canary_hits).toBe(0);
});

test('an answer of 1 GiB is not read to its end', async () => {
  expect(await outcomeAt('/flood', readInvoice)).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_ERROR' } });
  expect(sent_bytes).toBeLessThan(64 * 1024 * 1024);
});

test('an endpoint that hangs, or drips, ends its call at the timeout; the next call runs', async () => {
  const began_ms = performance.now();
  for (const path of ['/hang', '/drip'])
    expect(await outcomeAt(path, readInvoice, { timeout_ms: 1_500 })).toMatchObject({ error: { code: 'TIMEOUT' } });
  expect(performance.now() - began_ms).toBeLessThan(20_000);
  expect(await outcomeAt('/canary', readInvoice)).toMatchObject({ status: 'succeeded', output: { served_by: 'canary' } });
});

test('answers that are no results fail a read, and leave a write in doubt', async () => {
  for (const path of ['/garbage', '/no-result', '/wrong', '/bomb', '/cut', '/proto']) {
    expect([path, (await outcomeAt(path, readInvoice)).status]).toEqual([path, 'failed']);
    expect([path, (await outcomeAt(path, payInvoice, { functions: [], takes_key: false })).status]).toEqual([path, 'in_doubt']);
  }
});

test.each<[what: string, more: object]>([
  [
    'a hazardous pattern',
    { input_schema: { type: 'object', additionalProperties: false, properties: { a: { type: 'string', pattern: '(a+)+$' } } } },
  ],
  [
    'a schema that refers elsewhere',
    { input_schema: { type: 'object', additionalProperties: false, properties: { a: { $ref: 'https://x.example/' } } } },
  ],
  ['a name that is no name', { name: '../read' }],
  ['a version that is no version', { version: '1' }],
  ['a write without identifying inputs', { effect_class: 'commit_low' }],
  ['a contract of 100 KB', { output_schema: { type: 'object', description: 'x'.repeat(100_000) } }],
  ['secrets of the platform', { auth_requirements: ['token'] }],
])('a contract with %s is refused', async (_what, more) => {
  expect((await register(readInvoice(`${base}/canary`, more))).status).toBe(400);
});
