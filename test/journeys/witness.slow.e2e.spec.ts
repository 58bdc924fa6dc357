import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle } from '@countersign/evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
let auditor: Api;
let vkey: string;
let witnessKey: string;

const asAuditor = (...args: string[]) => countersign({ COUNTERSIGN_TOKEN: auditor?.key ?? '' }, ...args);

const folder = () => path.join(platform.dir, 'witness');
const look = () => asAuditor('witness', '--vkey', vkey, '--log', platform.base, '--dir', folder(), '--once');
let serial = 0;
const write = () => platform.admin().call({ tool: 'write_file', inputs: { path: `${++serial}.txt`, content: 'x', mode: 'create' } });

/** Waits until a checkpoint covers the records of the call. */
async function covered(call_id: string): Promise<void> {
  const query = `/v1/audit/bundle?call_id=${call_id}`;
  for (const end = performance.now() + 30_000; (await auditor.request('GET', query)).status !== 200; await sleep(200))
    if (performance.now() > end) throw new Error(`no checkpoint covers ${call_id}`);
}

/** Waits until the witness finds nothing new: reading the bundle is recorded too, and covered a second later. */
async function lookedThrough(): Promise<void> {
  for (const end = performance.now() + 30_000; ; await sleep(500)) {
    const { code, output } = await look();
    expect(code).toBe(0);
    if (output.includes('nothing new')) return;
    if (performance.now() > end) throw new Error(`still something new: ${output}`);
  }
}

beforeAll(async () => {
  platform = await EmbeddedPlatform.create();
  witnessKey = (await asAuditor('witness', '--new-key', '--dir', folder(), '--name', 'witness.example')).output.trim();
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
});
afterAll(() => platform.close());

test('a witness cosigns a growing log; a bundle with its cosignature verifies with both keys; a rolled-back log is refused', async () => {
  const { body: call } = await write();
  await covered(call.call_id);
  vkey = (await auditor.request('GET', '/v1/audit/checkpoint')).headers.get('countersign-vkey') as string;
  expect(await auditor.request('GET', '/v1/audit/checkpoint?cosigned=true')).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('not all witnesses have cosigned') },
  });
  expect(await look()).toMatchObject({ code: 0, output: expect.stringContaining('cosigned checkpoint') });
  await lookedThrough();

  const early = path.join(platform.dir, 'early');
  await platform.process.stop();
  cpSync(platform.dataDir, early, { recursive: true });
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });

  const { status, body: bundle } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call.call_id}&cosigned=true`);
  expect(status).toBe(200);
  const file = path.join(platform.dir, 'bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  const verified = await asAuditor('verify', file, '--vkey', vkey, '--witness', `heads:${witnessKey}`);
  expect(verified).toMatchObject({ code: 0, output: expect.stringContaining('it had checked every entry and every changed tree') });
  expect(verified.output).not.toContain('could have rewritten');
  const unmarked = await asAuditor('verify', file, '--vkey', vkey, '--witness', witnessKey);
  expect(unmarked).toMatchObject({ code: 0, output: expect.stringContaining('but not that the trees only grew') });
  expect(unmarked.output).toContain('not proven: the holder of the key could have rewritten records');
  const newest = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call.call_id}`);
  writeFileSync(file, JSON.stringify(newest.body));
  expect((await asAuditor('verify', file, '--vkey', vkey, '--witness', witnessKey)).output).toContain('not cosigned by witness.example');

  await covered((await write()).body.call_id);
  expect(await look()).toMatchObject({ code: 0, output: expect.stringContaining('cosigned checkpoint') });

  await platform.process.stop('SIGKILL');
  rmSync(platform.dataDir, { recursive: true });
  cpSync(early, platform.dataDir, { recursive: true });
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });
  expect(await look()).toMatchObject({ code: 1, output: expect.stringMatching(/CONTRADICTION: the log (shrank|forked)/) });
  for (let n = 0; n < 3; n++) await covered((await write()).body.call_id);
  expect(await look()).toMatchObject({ code: 1, output: expect.stringContaining('CONTRADICTION') });
});

test('a cosignature of an unknown witness, or of no checkpoint of this log, is not stored', async () => {
  const { body: note } = await auditor.request<string>('GET', '/v1/audit/checkpoint');
  expect((await auditor.request('POST', '/v1/audit/cosignatures', { note })).status).toBe(409);
  expect((await auditor.request('POST', '/v1/audit/cosignatures', { note: note.replace('countersign', 'counterfeit') })).status).toBe(409);
  expect((await auditor.request('POST', '/v1/audit/cosignatures', { note: '' })).status).toBe(400);
});

test('wrong usage is reported in one line, with the usage', async () => {
  expect(await asAuditor('witness', '--once')).toMatchObject({ code: 2, output: expect.stringContaining('--vkey is missing') });
  expect(await asAuditor('witness', '--every-ms', '1')).toMatchObject({ code: 2 });
  expect(await asAuditor('verify')).toMatchObject({ code: 2, output: expect.stringContaining('usage: npm run countersign -- verify') });
  expect(await asAuditor('nothing')).toMatchObject({ code: 2, output: expect.stringContaining('unknown command nothing') });
  expect(await asAuditor()).toMatchObject({ code: 0, output: expect.stringContaining('npm run countersign -- <command>') });
});
