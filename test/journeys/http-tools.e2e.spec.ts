import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { freePort } from './child-process.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { payInvoice, readInvoice } from './http-tool-bodies.js';

interface Registered {
  digest: string;
  lifecycle: string | null;
  signing_secret: string | null;
  reason?: string;
  validation?: { issues: { path: string }[] };
}

const dir = mkdtempSync(path.join(tmpdir(), 'countersign-http-tools-'));
const secretsFile = path.join(dir, 'secrets.txt');
const secrets: string[] = [];
const servers: ChildProcess[] = [];
let platform: EmbeddedPlatform;
let author: Api;
let agent: Api;

/** Starts an example server. @returns its URL */
async function serve(command: string, script: string): Promise<string> {
  const port = await freePort();
  const server = spawn(command, [`examples/http-tools/${script}`, '--secrets', secretsFile, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.stdout?.once('data', () => resolve());
    server.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
  return `http://127.0.0.1:${port}/`;
}

const endpoints: Record<'python' | 'node', string> = { python: '', node: '' };

beforeAll(async () => {
  writeFileSync(secretsFile, '');
  endpoints.python = await serve('python3', 'server.py');
  endpoints.node = await serve(process.execPath, 'server.mjs');
  const hosts = Object.values(endpoints).map((url) => new URL(url).host);
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: hosts.join() });
  author = await platform.admin().keyFor('user', 'tess', ['tool_author']);
  agent = await platform.admin().keyFor('agent', 'agent-1', ['agent']);
});
afterAll(async () => {
  await platform?.close();
  for (const server of servers) server.kill();
  rmSync(dir, { recursive: true, force: true });
});

/** Registers a version, and gives its secret to the servers. */
async function register(body: object, by: Api = author) {
  const answer = await by.request<Registered>('POST', '/v1/tools', body);
  const { signing_secret } = answer.body;
  if (signing_secret) {
    secrets.push(signing_secret);
    writeFileSync(secretsFile, secrets.join('\n'));
  }
  return answer;
}

const call = (tool: string, inputs: Record<string, unknown>, more: object = {}, by: Api = agent) =>
  by.request<Envelope>('POST', '/v1/calls', { tool, inputs, context: {}, ...more });

describe('a tool at an endpoint', () => {
  test('is registered over the API and called at once, with a signature that its server verifies', async () => {
    const { status, body, headers } = await register(readInvoice(endpoints.python));
    expect([status, body.lifecycle, headers.get('cache-control')]).toEqual([201, 'active', 'no-store']);
    expect(body.signing_secret).toMatch(/^whsec_/);
    const read = await call('read_invoice', { invoice_id: 'inv-1' });
    expect(read.body).toMatchObject({ status: 'succeeded', output: { amount: 120, currency: 'EUR', served_by: 'python 1.0.0' } });
  });

  test('takes a new version without a restart, at another server in another language', async () => {
    expect((await register(readInvoice(endpoints.node, { version: '1.1.0' }))).body.lifecycle).toBe('active');
    const newest = await call('read_invoice', { invoice_id: 'inv-2' });
    expect(newest.body).toMatchObject({ version: '1.1.0', output: { served_by: 'node 1.1.0' } });
    const older = await call('read_invoice', { invoice_id: 'inv-2' }, { version: '1.0.0' });
    expect(older.body).toMatchObject({ version: '1.0.0', output: { served_by: 'python 1.0.0' } });
  });

  test('is asked before a value is in: inputs that do not fit are refused, and an error of the server keeps its code', async () => {
    expect((await call('read_invoice', { invoice: 1 })).status).toBe(422);
    const unknown = await call('read_invoice', { invoice_id: 'inv-9' });
    expect(unknown.body).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR', message: 'there is no invoice inv-9' } });
  });

  test('a server that does not have the secret refuses the call', async () => {
    writeFileSync(secretsFile, '');
    const refused = await call('read_invoice', { invoice_id: 'inv-1' });
    writeFileSync(secretsFile, secrets.join('\n'));
    expect(refused.body).toMatchObject({ status: 'failed', error: { code: 'AUTH_REQUIRED' } });
  });

  test('a rotated secret is shown once and counts from then on; a repeated registration shows none', async () => {
    const again = await register(readInvoice(endpoints.python));
    expect([again.status, again.body.signing_secret]).toEqual([201, null]);
    secrets.length = 0;
    const rotated = await register(readInvoice(endpoints.python, { rotate_secret: true }));
    expect(rotated.body.signing_secret).toMatch(/^whsec_/);
    expect((await call('read_invoice', { invoice_id: 'inv-1' }, { version: '1.0.0' })).body.status).toBe('succeeded');
    expect((await call('read_invoice', { invoice_id: 'inv-1' }, { version: '1.1.0' })).body.error?.code).toBe('AUTH_REQUIRED');
  });
});

describe.each(['python', 'node'] as const)('a write at a %s server', (language) => {
  const version = language === 'python' ? '1.0.0' : '1.1.0';

  test('happens once for its key, is read back, and is undone', async () => {
    await register(payInvoice(endpoints[language], { version }));
    const paid = await call('pay_invoice', { invoice_id: 'inv-1' }, { version, context: { run_id: `run-${language}` } });
    expect(paid.body).toMatchObject({ status: 'succeeded', output: { receipt_id: 'r-1', amount: 120 }, warnings: [] });
    const again = await call('pay_invoice', { invoice_id: 'inv-1' }, { version, context: { run_id: `run-${language}` } });
    expect(again.body.output).toEqual(paid.body.output);
    const operator = await platform.admin().keyFor('user', `olga-${language}`, ['operator']);
    const at = `/v1/calls/${paid.body.call_id}/undo`;
    const { body } = await operator.request<{ preview_digest: string }>('GET', at);
    const undone = await operator.request('POST', at, { preview_digest: body.preview_digest, reason: 'paid by mistake' });
    expect(undone.status).toBeLessThan(300);
    await platform.process.until('the payment is undone', async () => {
      const { body } = await operator.request<Envelope>('GET', `/v1/calls/${paid.body.call_id}`);
      return body.status === 'compensated';
    });
  });
});

describe('versions, gates and tenants', () => {
  test('a version whose number does not allow its change is refused', async () => {
    const other = readInvoice(endpoints.python, { version: '1.1.1' });
    const { status, body } = await register({ ...other, input_schema: { ...other.input_schema, properties: {}, required: [] } });
    expect([status, body.reason]).toEqual([409, 'tool_version_incompatible']);
  });

  test('a version that moves to another endpoint is suspended until its new contract is accepted', async () => {
    const moved = await register(readInvoice(endpoints.node, { rotate_secret: true }));
    expect(moved.body.lifecycle).toBe('suspended');
    const refused = await call('read_invoice', { invoice_id: 'inv-1' }, { version: '1.0.0' });
    expect(refused.body.status).toBe('denied');
    const record = await author.request<{ pin: string }>('GET', '/v1/tools/read_invoice/versions/1.0.0');
    await author.request('PUT', '/v1/tools/read_invoice/versions/1.0.0/pin', { pin: record.body.pin });
    const accepted = await call('read_invoice', { invoice_id: 'inv-1' }, { version: '1.0.0' });
    expect(accepted.body).toMatchObject({ status: 'succeeded', output: { served_by: 'node 1.0.0' } });
  });

  test('a version that needs an evaluation runs once one of its contract has passed and it is promoted', async () => {
    const version = '1.2.0';
    const { body } = await register(readInvoice(endpoints.node, { version, needs_evaluation: true }));
    expect(body.lifecycle).toBe('candidate');
    expect((await call('read_invoice', { invoice_id: 'inv-1' }, { version })).body.status).toBe('denied');
    const at = `/v1/tools/read_invoice/versions/${version}`;
    const result = { tool: 'read_invoice', version, contract_digest: body.digest, passed: 1, failed: 0 };
    const cases = [{ title: 'reads an invoice', passed: true }];
    await author.request('POST', `${at}/evaluations`, { ...result, cases, verified_at: new Date().toISOString() });
    await author.request('PUT', `${at}/lifecycle`, { state: 'active' });
    expect((await call('read_invoice', { invoice_id: 'inv-1' }, { version })).body.status).toBe('succeeded');
  });

  test('belongs to its tenant: another one neither sees nor calls it, and has one of the same name', async () => {
    await platform.admin().request('POST', '/v1/tenants', { tenant_id: 'umbra' });
    const theirs = await platform.admin().keyFor('user', 'tess', ['tool_author', 'agent'], 'umbra');
    expect((await theirs.request('GET', '/v1/tools/read_invoice')).status).toBe(404);
    expect((await call('read_invoice', { invoice_id: 'inv-1' }, {}, theirs)).status).toBe(404);
    await register(readInvoice(endpoints.python, { version: '7.0.0' }), theirs);
    const read = await call('read_invoice', { invoice_id: 'inv-1' }, {}, theirs);
    expect(read.body).toMatchObject({ version: '7.0.0', output: { served_by: 'python 7.0.0' } });
    expect((await call('read_invoice', { invoice_id: 'inv-1' }, { version: '7.0.0' })).status).toBe(404);
  });

  test('only tool authors register, and no name of a pack can be taken', async () => {
    expect((await register(readInvoice(endpoints.node), agent)).status).toBe(403);
    const stolen = await register(readInvoice(endpoints.node, { name: 'read_file', version: '9.0.0' }));
    expect([stolen.status, stolen.body.reason]).toEqual([409, 'tool_name_taken']);
  });

  test('survives a restart of the platform', async () => {
    await platform.process.stop();
    await platform.up();
    const read = await call('read_invoice', { invoice_id: 'inv-2' }, { version: '1.0.0' });
    expect(read.body).toMatchObject({ status: 'succeeded', output: { amount: 75 } });
  });
});
