import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle } from '@countersign/evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
let auditor: Api;
let witnessKey: string;
let serial = 0;

const asAuditor = (...args: string[]) => countersign({ COUNTERSIGN_TOKEN: auditor?.key ?? '' }, ...args);
const file = (name: string) => path.join(platform.dir, name);
const audit = (...names: string[]) => path.join(platform.dataDir, 'audit', ...names);
const lines = () => readFileSync(audit('checkpoints', '000000000000.ndjson'), 'utf8');
const write = () => platform.admin().call({ tool: 'write_file', inputs: { path: `${++serial}.txt`, content: 'x', mode: 'create' } });
const look = (vkey: string) => asAuditor('witness', '--vkey', vkey, '--log', platform.base, '--dir', file('witness'), '--once');

async function until<T>(work: () => Promise<T | undefined>, what: string): Promise<T> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const found = await work();
    if (found !== undefined) return found;
  }
  throw new Error(`in vain: ${what}`);
}

const bundleOf = (call_id: string) =>
  until(async () => {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
    return status === 200 ? body : undefined;
  }, `a bundle of ${call_id}`);

const accept = (...args: string[]) =>
  countersign({ COUNTERSIGN_KEY: platform.admin().key }, 'accept-damage', '--url', platform.base, ...args);
async function readyz(): Promise<[number, unknown]> {
  const answer = await fetch(`${platform.base}/readyz`);
  return [answer.status, await answer.json()];
}

const sizeOf = (bundle: Bundle) => Number(bundle.checkpoint.split('\n')[1]);

async function restarted(between: () => void): Promise<void> {
  await platform.process.stop();
  between();
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });
}

beforeAll(async () => {
  platform = await EmbeddedPlatform.create();
  witnessKey = (await asAuditor('witness', '--new-key', '--dir', file('witness'), '--name', 'witness.example')).output.trim();
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
});
afterAll(() => platform.close());

test('a deleted audit folder is restored from the log: the witness sees one log, and new checkpoints extend old ones', async () => {
  const earlier = await bundleOf((await write()).body.call_id);
  for (let n = 0; n < 3; n++) await bundleOf((await write()).body.call_id);
  expect(await look(earlier.vkey)).toMatchObject({ code: 0 });
  const before = lines();
  await restarted(() => rmSync(audit(), { recursive: true }));
  const later = await bundleOf((await write()).body.call_id);
  expect(lines().startsWith(before)).toBe(true);
  expect(sizeOf(later)).toBeGreaterThan(before.split('\n').length - 1);
  expect(await auditor.request('GET', `/v1/audit/consistency?first=${sizeOf(earlier)}`)).toMatchObject({ status: 200 });
  expect(await look(earlier.vkey)).toMatchObject({ code: 0, output: expect.stringContaining('cosigned checkpoint') });
});

test('an old checkpoint edited on the disk is found at start: signing and writes stop until it is restored and accepted', async () => {
  const before = lines();
  const [, second] = before.split('\n') as [string, string];
  const { time_ms } = JSON.parse(second) as { time_ms: number };
  await restarted(() =>
    writeFileSync(audit('checkpoints', '000000000000.ndjson'), before.replace(`"time_ms":${time_ms}`, `"time_ms":${time_ms + 1}`)),
  );
  await platform.process.until('accused', async () => platform.process.output.includes('"event":"damage_found"'));
  const listed = await auditor.request<{ items: { event_id: string }[] }>('GET', '/v1/audit/events?type=security_event_recorded&limit=500');
  const events = await Promise.all(listed.body.items.map(({ event_id }) => auditor.request<object>('GET', `/v1/audit/events/${event_id}`)));
  expect(events.map(({ body }) => JSON.stringify(body)).join('\n')).toContain(
    'checkpoint 2 in the store differs from the one on checkpoint-signed',
  );
  expect(existsSync(audit('checkpoints'))).toBe(true);

  const size = lines().split('\n').length;
  const refused = await write();
  expect([refused.status, refused.body]).toMatchObject([409, { type: 'urn:countersign:problem:record-damaged' }]);
  const read = await auditor.request('GET', '/v1/calls');
  expect([read.status, read.headers.get('countersign-record')]).toEqual([200, 'damaged']);
  expect(await readyz()).toEqual([200, { status: 'tampered' }]);

  // Accepted, but not restored: it is found again.
  expect(await accept('--all', '--reason', 'nobody looked')).toMatchObject({ code: 0, output: expect.stringContaining('accepted 1') });
  await until(async () => ((await accept()).output.includes('checkpoint 2 in the store differs') ? true : undefined), 'found again');
  expect((await write()).status).toBe(409);

  await restarted(() => writeFileSync(audit('checkpoints', '000000000000.ndjson'), before));
  expect((await write()).status).toBe(409);
  expect(lines().split('\n').length).toBe(size);
  expect(await accept('--all')).toMatchObject({ code: 2, output: expect.stringContaining('--reason is missing') });
  expect(await accept('--all', '--reason', 'restored from the backup')).toMatchObject({ code: 0 });
  const { body: call } = await write();
  expect(call.status).toBe('succeeded');
  const bundle = await bundleOf(call.call_id);
  expect(sizeOf(bundle)).toBeGreaterThanOrEqual(size);
  expect([await readyz(), await accept()]).toMatchObject([
    [200, { status: 'ready' }],
    { output: expect.stringContaining('no open damage') },
  ]);
  expect(await look(bundle.vkey)).toMatchObject({ code: 0 });
});
