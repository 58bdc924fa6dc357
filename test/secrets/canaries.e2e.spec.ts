import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { Masker } from '@countersign/process';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../journeys/api.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';

const HOWS = ['return', 'throw', 'refuse', 'print', 'log', 'progress', 'attach', 'split', 'keys', 'bytes', 'large'];
const ENCODINGS = ['plain', 'base64', 'url', 'json', 'hex'];

/** 25 secrets of very different letters. */
const canaries = Array.from({ length: 25 }, (_, n) => {
  const core = Buffer.from(Array.from({ length: 18 }, (_each, at) => ((n * 7 + 11) * (at * at + 3)) % 251));
  return [`cAnArY${n}-${core.toString('base64url')}`, `pa "ss" é&%${n} ${core.toString('hex').slice(0, 20)}`][n % 2] as string;
});

let platform: EmbeddedPlatform;
let collector: Server;
let admin: Api;
const spans: string[] = [];
const answers: string[] = [];
beforeAll(async () => {
  collector = createServer((request, response) => {
    request.on('data', (chunk) => spans.push(String(chunk)));
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  const { port } = collector.address() as { port: number };
  platform = await EmbeddedPlatform.start({
    COUNTERSIGN_LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  });
  admin = platform.admin();
}, 60_000);
afterAll(async () => {
  await platform?.close();
  collector.close();
});

async function said(method: string, url: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await admin.request(method, url, body);
  answers.push(JSON.stringify(answer.body));
  return answer;
}
const probe = (how: string, encoding = 'plain') => said('POST', '/v1/calls', { tool: 'probe_secret', inputs: { how, encoding } });

/** Every file below a folder. */
function files(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const file = path.join(dir, name);
    return statSync(file).isDirectory() ? files(file) : [file];
  });
}

/** What of these secrets can be read in a text: searched with code that the platform does not use for it. */
function leaks(where: string, text: string): string[] {
  return canaries.flatMap((value, n) => {
    const bytes = Buffer.from(value);
    const forms = [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      bytes.toString('hex'),
      bytes.toString('base64').slice(0, -4),
    ];
    const halves = [value.slice(0, value.length / 2), value.slice(value.length / 2)].map((half) => JSON.stringify(half).slice(1, -1));
    const numbers = [...bytes].join(',');
    return [...forms, ...halves, numbers].filter((form) => text.includes(form)).map((form) => `${where}: canary ${n} as ${form}`);
  });
}

test('a call whose secrets nobody gave has no effect and says whom to ask, and operators are told', async () => {
  const { body } = await probe('return');
  expect(body).toMatchObject({ status: 'failed', error: { code: 'AUTH_REQUIRED' }, effect: 'none' });
  const { reissue } = (body.error as { details: { reissue: { name: string; reason: string; where: string }[] } }).details;
  expect(reissue).toHaveLength(25);
  expect(reissue[0]).toMatchObject({ name: 'probe_secret_0', reason: 'absent', where: 'PUT /v1/secrets/workspace/probe_secret_0' });
});

test('the nearest scope counts, an expired secret is asked for anew, and the scope of the installation is warned of', async () => {
  for (const [n, value] of canaries.entries()) expect((await said('PUT', `/v1/secrets/org/probe_secret_${n}`, { value })).status).toBe(201);
  const org = await probe('safe');
  expect(org.body).toMatchObject({ status: 'succeeded', output: { lengths: canaries.map(({ length }) => length) } });
  expect(org.body.credentials).toContainEqual({ name: 'probe_secret_0', scope: 'org', version: 1 });
  expect((org.body.warnings as string[])[0]).toContain('of the whole installation');
  expect((await said('GET', '/v1/secrets/probe_secret_0')).body).toMatchObject({ scope: 'org', warning: expect.any(String) });
  const expires_at = new Date(Date.now() + 1_500).toISOString();
  await said('PUT', '/v1/secrets/user/probe_secret_0', { value: canaries[0], expires_at });
  expect((await probe('safe')).body.credentials).toContainEqual({ name: 'probe_secret_0', scope: 'user', version: 1 });
  await new Promise((later) => setTimeout(later, 1_600));
  expect((await probe('safe')).body.error).toMatchObject({
    code: 'AUTH_REQUIRED',
    details: { reissue: [{ name: 'probe_secret_0', reason: 'expired' }] },
  });
  expect((await said('POST', '/v1/secrets/user/probe_secret_0/rotate', { value: canaries[0] })).body).toMatchObject({ version: 2 });
  for (const [n, value] of canaries.entries()) await said('PUT', `/v1/secrets/workspace/probe_secret_${n}`, { value });
  const near = (await probe('safe')).body;
  expect([near.warnings, near.status]).toEqual([[], 'succeeded']);
  expect(near.credentials).toContainEqual({ name: 'probe_secret_1', scope: 'workspace', version: 1 });
});

test('25 secrets that a tool returns, throws, prints, logs, attaches and splits, in 5 encodings, are seen nowhere', async () => {
  const rotating = said('POST', '/v1/secrets:rotate-keys');
  for (const how of HOWS)
    for (const encoding of ENCODINGS) {
      const { body } = await probe(how, encoding);
      expect([how, encoding, body.status]).toEqual([how, encoding, how === 'throw' || how === 'refuse' ? 'failed' : 'succeeded']);
      for (const { url } of (body.attachments ?? []) as { url: string }[])
        answers.push(JSON.stringify((await admin.request('GET', url)).body));
    }
  expect(await rotating).toMatchObject({ status: 200, body: { key_id: 'k2' } });
  for (const url of ['/v1/calls?limit=200', '/v1/secrets', '/v1/tools/probe_secret', '/v1/keys', '/metrics', '/readyz'])
    await said('GET', url);
  await new Promise((later) => setTimeout(later, 1_500));
  expect(answers.join('')).toContain('[secret]');
  expect(platform.process.output).toContain('printed');
  expect(platform.process.output).toContain('[secret]');
  expect(spans.length).toBeGreaterThan(0);
  await platform.process.stop();
  const found = [...leaks('answers', answers.join('\n')), ...leaks('output', platform.process.output), ...leaks('spans', spans.join('\n'))];
  const kept = files(platform.dir);
  expect(kept.some((file) => file.includes(`${path.sep}log${path.sep}`))).toBe(true);
  const log = kept.filter((file) => file.includes(`${path.sep}log${path.sep}`)).map((file) => readFileSync(file, 'latin1'));
  expect(log.some((text) => text.includes('credential_reissue_requested'))).toBe(true);
  for (const file of kept) found.push(...leaks(file, readFileSync(file, 'latin1')), ...leaks(file, readFileSync(file, 'utf8')));
  const store = await PgliteStore.open({ dir: path.join(platform.dataDir, 'pg') });
  const tables = await store.query<{ name: string }>({
    text: `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    params: [],
  });
  expect(tables.length).toBeGreaterThan(5);
  for (const { name } of tables)
    found.push(...leaks(name, JSON.stringify(await store.query({ text: `SELECT * FROM "${name}"`, params: [] }))));
  await store.close();
  expect(found).toEqual([]);
  // The search sees what it looks for.
  expect(leaks('here', JSON.stringify(canaries))).not.toEqual([]);
  expect(new Masker(canaries).record(canaries)).toEqual(canaries.map(() => '[secret]'));
}, 180_000);
