import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConsistent, openCheckpoint, parseVkey, type RecordToCover, verifyRecord } from '@countersign/proofs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
let auditor: Api;

beforeAll(async () => {
  platform = await EmbeddedPlatform.start();
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
});
afterAll(() => platform.close());

interface Proven {
  record: Omit<RecordToCover, 'value'> & { value: string };
  proof: Parameters<typeof verifyRecord>[1];
  vkey: string;
}

const write = (name: string) => platform.admin().call({ tool: 'write_file', inputs: { path: name, content: 'x', mode: 'create' } });
const place = (partition: number) => `topic=tool-executed&partition=${partition}&offset=0`;
const partitionOf = (call_id: string) => Number(call_id.split('-')[0]);

async function untilProven(query: string, api = auditor): Promise<Proven> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(100)) {
    const { status, body } = await api.request<Proven>('GET', `/v1/audit/proof?${query}`);
    if (status === 200) return body;
    expect(status).toBe(503);
  }
  throw new Error('no checkpoint covered the record');
}

async function checkpoint() {
  const { body, headers } = await auditor.request<string>('GET', '/v1/audit/checkpoint');
  const log = parseVkey(headers.get('countersign-vkey') as string);
  return { note: body, log, ...openCheckpoint(body, log as never) };
}

test('records of a call are proven to an auditor who trusts one key and no server, also after a restart', async () => {
  const { body } = await write('proven.txt');
  const { record, proof, vkey } = await untilProven(place(partitionOf(body.call_id)));
  const trust = { log: parseVkey(vkey) as never, witnesses: [] };
  const covered = { ...record, value: Buffer.from(record.value, 'base64') };
  expect(verifyRecord(covered, proof, trust).kind).toBe('proven');
  expect(verifyRecord({ ...covered, value: Buffer.concat([covered.value, Buffer.of(0)]) }, proof, trust).kind).toBe('refused');

  const before = await checkpoint();
  await platform.process.stop('SIGKILL');
  await rm(path.join(platform.dataDir, 'audit', 'trees', 'policy-decided'), { recursive: true });
  await platform.up();
  expect(platform.process.output).toContain('the audit trees are incomplete');
  expect(platform.process.output).toContain('the tiles of policy-decided/');
  await write('after-the-restart.txt');
  let after = await checkpoint();
  for (const end = performance.now() + 30_000; after.size === before.size && performance.now() < end; await sleep(200))
    after = await checkpoint();
  expect(after.size as number).toBeGreaterThan(before.size as number);
  const { body: found } = await auditor.request<{ path: string[]; checkpoint: string }>(
    'GET',
    `/v1/audit/consistency?first=${before.size}`,
  );
  expect(
    isConsistent(
      before as never,
      openCheckpoint(found.checkpoint, after.log as never) as never,
      found.path.map((hash) => Buffer.from(hash, 'base64')),
    ),
  ).toBe(true);
  expect(after.log?.vkey).toBe(before.log?.vkey);
});

test('tiles are served by name, and names that are no tiles are refused', async () => {
  const { size } = await checkpoint();
  const { status, body } = await auditor.request<string>('GET', `/v1/audit/tile/checkpoints/0/000.p/${size}`);
  expect([status, typeof body]).toEqual([200, 'string']);
  for (const path of ['checkpoints/0/000.p/255', '../../keys.json', 'tool-executed/0/../../x', 'checkpoints/0/0', 'nothing/0/0/000']) {
    expect((await auditor.request('GET', `/v1/audit/tile/${encodeURIComponent(path)}`)).status).toBe(404);
  }
});

test('a record of another tenant is not found, and only auditors may query', async () => {
  const admin = platform.admin();
  await admin.request('POST', '/v1/tenants', { tenant_id: 'other' });
  const stranger = await admin.keyFor('user', 'sam', ['auditor'], 'other');
  const agent = await admin.keyFor('agent', 'agent-1', ['agent']);
  const { body } = await write('mine.txt');
  const query = place(partitionOf(body.call_id));
  await untilProven(query);
  expect((await stranger.request('GET', `/v1/audit/proof?${query}`)).status).toBe(404);
  expect((await stranger.request('GET', '/v1/audit/proof?topic=tool-executed&partition=0&offset=999999')).status).toBe(404);
  for (const path of [`proof?${query}`, 'checkpoint', 'consistency?first=1', 'entries?first=0', 'heads', 'tile/checkpoints/0/000.p/1']) {
    expect((await agent.request('GET', `/v1/audit/${path}`)).status).toBe(403);
    expect((await agent.as('').request('GET', `/v1/audit/${path}`)).status).toBe(401);
  }
  for (const bad of ['topic=tool-executed', 'topic=x&partition=-1&offset=0', `${query}&more=1`]) {
    expect((await auditor.request('GET', `/v1/audit/proof?${bad}`)).status).toBe(400);
  }
  for (const path of ['consistency?first=999999', 'entries?first=999999', 'heads?size=999999']) {
    expect((await auditor.request('GET', `/v1/audit/${path}`)).status).toBe(404);
  }
  const { status, body: refusal } = await auditor.request<object>('GET', '/v1/audit/entries?first=2&second=2');
  expect([status, refusal]).toEqual([
    400,
    expect.objectContaining({ validation: expect.objectContaining({ issues: [expect.objectContaining({ path: '/second' })] }) }),
  ]);
  expect((await auditor.request('GET', '/v1/audit/entries')).status).toBe(400);
});

test('a cosigned checkpoint or bundle is refused if no witnesses are configured, and the response states that', async () => {
  for (const path of [
    '/v1/audit/checkpoint?cosigned=true',
    '/v1/audit/bundle?call_id=0-0192f0c4-0000-7000-8000-000000000001&cosigned=true',
  ]) {
    const { status, body } = await auditor.request<Record<string, unknown>>('GET', path);
    expect([status, body]).toEqual([
      409,
      expect.objectContaining({
        type: 'urn:countersign:problem:conflict',
        detail: expect.stringContaining('COUNTERSIGN_AUDIT_WITNESSES'),
        retryable: false,
        validation: expect.objectContaining({ issues: [expect.objectContaining({ path: '/cosigned', code: 'no_witnesses' })] }),
      }),
    ]);
  }
  expect((await auditor.request('GET', '/v1/audit/checkpoint?cosigned=false')).status).toBe(200);
});
