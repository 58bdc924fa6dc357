import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle } from '@countersign/evidence';
import { openCheckpoint, parseVkey } from '@countersign/proofs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rewriteRecord } from '../forger/rewrite-a-record.js';
import type { Api } from './api.js';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
let auditor: Api;
let witnessKey: string;
let serial = 0;

const asAuditor = (...args: string[]) => countersign({ COUNTERSIGN_TOKEN: auditor?.key ?? '' }, ...args);
const file = (name: string) => path.join(platform.dir, name);
const write = () => platform.admin().call({ tool: 'write_file', inputs: { path: `${++serial}.txt`, content: 'x', mode: 'create' } });
const look = (vkey: string) => asAuditor('witness', '--vkey', vkey, '--log', platform.base, '--dir', file('witness'), '--once');

async function bundleOf(call_id: string, more = ''): Promise<Bundle> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}${more}`);
    if (status === 200) return body;
  }
  throw new Error(`no checkpoint covers ${call_id}`);
}

beforeAll(async () => {
  platform = await EmbeddedPlatform.create();
  witnessKey = (await asAuditor('witness', '--new-key', '--dir', file('witness'), '--name', 'witness.example')).output.trim();
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: witnessKey });
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
});
afterAll(() => platform.close());

test('cosignatures of a witness that is not configured as checking heads do not make a checkpoint cosigned', async () => {
  const { body: call } = await write();
  await bundleOf(call.call_id);
  for (const query of ['checkpoint?cosigned=true', `bundle?call_id=${call.call_id}&cosigned=true`]) {
    const { status, body } = await auditor.request<{ detail: string }>('GET', `/v1/audit/${query}`);
    expect([status, body.detail]).toEqual([409, expect.stringContaining('heads:<vkey>')]);
  }
  await platform.process.stop();
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });
});

test('verify --since checks every entry between two bundles, from the log or from a file, and reports if it did not', async () => {
  const earlier = await bundleOf((await write()).body.call_id);
  for (let n = 0; n < 3; n++) await bundleOf((await write()).body.call_id);
  const later = await bundleOf((await write()).body.call_id);
  writeFileSync(file('earlier.json'), JSON.stringify(earlier));
  writeFileSync(file('later.json'), JSON.stringify(later));
  const { vkey } = later;
  const since = (...more: string[]) => asAuditor('verify', file('later.json'), '--vkey', vkey, '--since', file('earlier.json'), ...more);

  expect(await since()).toMatchObject({ code: 1, output: expect.stringContaining('NOT CHECKED: the entries between checkpoint') });
  const online = await since('--log', platform.base, '--save-history', file('history.json'));
  expect(online).toMatchObject({
    code: 0,
    output: expect.stringMatching(/since checkpoint \d+: \d+ entries checked in order, \d+ changes of trees, all of which only grew/),
  });
  expect(await since('--history', file('history.json'))).toMatchObject({
    code: 0,
    output: expect.stringContaining('entries checked in order'),
  });

  writeFileSync(file('trust.json'), JSON.stringify({ log: vkey, witnesses: [] }));
  expect((await asAuditor('verify', file('later.json'), '--trust', file('trust.json'))).code).toBe(0);
  writeFileSync(file('trust.json'), JSON.stringify({ log: vkey, witnesses: [{ key: witnessKey, check: 'heads' }] }));
  expect(await asAuditor('verify', file('later.json'), '--trust', file('trust.json'))).toMatchObject({
    code: 2,
    output: expect.stringContaining('check'),
  });
  expect((await asAuditor('verify', file('earlier.json'), '--vkey', vkey, '--since', file('later.json'))).output).toContain('swap the two');
});

test('the owner rewrites an old record and signs only the next checkpoint over it: signing stops, and the witness does not cosign it', async () => {
  const { body: call } = await write();
  const bundle = await bundleOf(call.call_id);
  const { vkey } = bundle;
  for (const end = performance.now() + 30_000; !(await look(vkey)).output.includes('nothing new'); await sleep(500))
    if (performance.now() > end) throw new Error('the witness does not catch up');
  const log = parseVkey(vkey) as NonNullable<ReturnType<typeof parseVkey>>;
  const cosigned = async () => openCheckpoint((await auditor.request<string>('GET', '/v1/audit/checkpoint?cosigned=true')).body, log)?.size;
  const before = await cosigned();
  const { topic, partition, offset } = bundle.records.find(
    ({ event_type }) => event_type === 'tool_call_requested',
  ) as Bundle['records'][number];

  await platform.process.stop();
  await rewriteRecord(platform.dataDir, { topic, partition }, offset, Buffer.alloc(32, 1));
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });

  await platform.process.until('accused', async () => platform.process.output.includes('damage_found'));
  for (let n = 0; n < 3; n++) await write();
  const looked = await look(vkey);
  expect([looked.code, looked.output]).toEqual([1, expect.stringMatching(/CONTRADICTION|rejected its entries: 409/)]);
  expect(await cosigned()).toBe(before);
  const { body: listed } = await auditor.request<{ items: { event_id: string }[] }>(
    'GET',
    '/v1/audit/events?type=security_event_recorded&limit=500',
  );
  const events = await Promise.all(listed.items.map(({ event_id }) => auditor.request<object>('GET', `/v1/audit/events/${event_id}`)));
  expect(events.map(({ body }) => JSON.stringify(body)).join('\n')).toContain('record_broken');
});
