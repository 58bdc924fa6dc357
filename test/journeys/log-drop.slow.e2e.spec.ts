import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle } from '@countersign/evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { daysFromNow } from './time-shift.js';

const AGO_DAYS = 200;
const FILES = 2;
const CONTENT = 'x'.repeat(8_000);
const OUTPUT_ERASED = 'erased' as unknown as Envelope['output'];
let platform: EmbeddedPlatform;
let admin: Api;
let agent: Api;
let auditor: Api;
let env: Record<string, string>;
let vkey: string;
/** Calls of half a year ago: the first one, one that is still in doubt, and the last one. */
let first: Envelope;
let doubtful: Envelope;
let last: Envelope;
let old: Bundle;
let size: number;
let case_id: string;

const asAuditor = (...args: string[]) => countersign({ COUNTERSIGN_TOKEN: auditor?.key ?? '' }, ...args);

const folder = () => path.join(platform.dir, 'witness');
const look = () => asAuditor('witness', '--vkey', vkey, '--log', platform.base, '--dir', folder(), '--once');
/** In a case that stays open: its keys are kept for as long. */
const write = (name: string) => agent.call({ tool: 'write_file', inputs: { path: name, content: CONTENT, mode: 'create' }, case_id });
const ask = (body: unknown, api = admin) => api.request<Record<string, unknown>>('POST', '/v1/log/drops', body);
const journal = () => readdirSync(path.join(platform.dataDir, 'log')).filter((name) => name.endsWith('.log'));

async function covered<T>(url: string): Promise<T> {
  let found = '';
  for (const end = performance.now() + 30_000; performance.now() < end && !found.startsWith('410'); await sleep(100)) {
    const { status, body } = await auditor.request<T>('GET', url);
    if (status === 200) return body;
    found = `${status} ${JSON.stringify(body)}`;
  }
  throw new Error(`nothing covered ${url}: ${found}`);
}

/** Resolves when a checkpoint covers the newest `log_dropped`. */
async function coveredDrop(): Promise<void> {
  const { body } = await auditor.request<{ items: { event_id: string }[] }>('GET', '/v1/audit/events?type=log_dropped');
  await covered(`/v1/audit/proof?event_id=${body.items.at(-1)?.event_id}`);
}

const bundleOf = ({ call_id }: Envelope) => covered<Bundle>(`/v1/audit/bundle?call_id=${call_id}`);

async function verified(bundle: Bundle): Promise<string> {
  const file = path.join(platform.dir, 'bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  const { code, output } = await asAuditor('verify', file, '--vkey', bundle.vkey);
  return code === 0 ? 'verified' : output;
}

/** The position of a record as the query of a proof. */
const placeOf = (bundle: Bundle, type: string): string => {
  const found = bundle.records.find(({ event_type }) => event_type === type) as Bundle['records'][number];
  return `topic=${found.topic}&partition=${found.partition}&offset=${found.offset}`;
};

beforeAll(async () => {
  platform = await EmbeddedPlatform.create({ COUNTERSIGN_JOURNAL_FILE_BYTES: '65536' });
  const witness = (await asAuditor('witness', '--new-key', '--dir', folder(), '--name', 'witness.example')).output.trim();
  env = { COUNTERSIGN_AUDIT_WITNESSES: `heads:${witness}` };
  await platform.up({ ...env, ...daysFromNow(-AGO_DAYS) });
  admin = platform.admin();
  agent = await admin.keyFor('agent', 'agent-1', ['agent']);
  auditor = await admin.keyFor('user', 'audra', ['auditor']);
  case_id = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body.case_id;
  const begun = journal().length;
  first = (await write('a.txt')).body;
  doubtful = (await agent.call({ tool: 'probe_fail', inputs: { effect: 'unknown' } })).body;
  for (let n = 0; journal().length < begun + FILES; n++) await write(`old-${n}.txt`);
  last = (await write('last.txt')).body;
  old = await bundleOf(first);
  await bundleOf(last);
  const checkpoint = await auditor.request<string>('GET', '/v1/audit/checkpoint');
  vkey = checkpoint.headers.get('countersign-vkey') as string;
  size = Number(checkpoint.body.split('\n')[1]);
  await platform.process.stop();
  await platform.up(env);
});
afterAll(() => platform.close());

test('only an administrator drops, nothing younger than the floor of the policy, and nothing that no witness cosigned', async () => {
  expect(doubtful.status).toBe('in_doubt');
  expect((await ask({ keep_months: 12 }, auditor)).status).toBe(403);
  expect((await ask({ keep_months: 5 })).status).toBe(400);
  const retention = (floor_months: number) => admin.request('PUT', '/v1/retention', { floor_months, rules: [] });
  expect((await retention(12)).status).toBe(200);
  expect((await ask({ keep_months: 6 })).body).toMatchObject({
    status: 400,
    validation: { issues: [{ path: '/keep_months', code: 'floor' }] },
  });
  expect((await retention(6)).status).toBe(200);
  expect((await ask({ keep_months: 6 })).body).toMatchObject({ status: 503, detail: 'no checkpoint exists yet: nothing can be dropped' });
  expect(await look()).toMatchObject({ code: 0, output: expect.stringContaining('cosigned checkpoint') });
  expect((await ask({ keep_months: 7, dry_run: true })).body).toMatchObject({ dry_run: true, records_below: {}, dropped: null });
  expect((await ask({ keep_months: 7 })).body).toMatchObject({ dropped: { segments: 0 } });
});

test('a call in doubt keeps the records after it; once it is settled, whole files are dropped', async () => {
  const kept = await bundleOf(doubtful);
  expect((await ask({ keep_months: 6 })).body).toMatchObject({ dropped: { segments: expect.any(Number) } });
  expect(await verified(await bundleOf(doubtful))).toBe('verified');
  const files = journal().length;
  const resolution = { resolution: 'did_not_happen', reason: 'looked it up' };
  expect((await admin.request('POST', `/v1/calls/${doubtful.call_id}/resolve`, resolution)).status).toBeLessThan(300);
  await agent.callUntil(doubtful.call_id, ({ status }) => status !== 'in_doubt');
  const planned = (await ask({ keep_months: 6, dry_run: true })).body as { records_below: Record<string, number> };
  expect(Object.keys(planned.records_below).length).toBeGreaterThan(3);
  expect(journal()).toHaveLength(files);
  expect((await ask({ keep_months: 6 })).body).toMatchObject({ dropped: { segments: 0 }, waits_for: 'cosignature' });
  expect(journal().length).toBeGreaterThanOrEqual(files);
  await coveredDrop();
  expect((await look()).code).toBe(0);
  const answer = (await ask({ keep_months: 6 })).body as { dropped: { segments: number; bytes: number }; waits_for: null };
  const { dropped, waits_for } = answer;
  expect(waits_for).toBeNull();
  expect(dropped.segments).toBeGreaterThanOrEqual(FILES);
  expect(dropped.bytes).toBeGreaterThan(dropped.segments * 65_536);
  expect(journal().length).toBeLessThanOrEqual(files - dropped.segments + 1);
  expect((await auditor.request('GET', `/v1/audit/proof?${placeOf(kept, 'tool_call_requested')}`)).status).toBe(410);
  expect((await ask({ keep_months: 6 })).body).toMatchObject({ dropped: { segments: 0 } });
});

test('dropped records are reported as dropped; the rest is proven, and the witness sees one log', async () => {
  const proof = await auditor.request('GET', `/v1/audit/proof?${placeOf(old, 'tool_call_requested')}`);
  expect(proof).toMatchObject({ status: 410, body: { first: expect.any(Number) } });
  expect(await auditor.request('GET', `/v1/audit/bundle?call_id=${first.call_id}`)).toMatchObject({ status: 410 });
  const at = old.records.find(({ event_type }) => event_type === 'tool_call_requested')?.timestamp_ms as number;
  const then = { changes: [], from: new Date(at - 2_000).toISOString(), to: new Date(at).toISOString() };
  expect(await auditor.request('POST', '/v1/counterfactual', then)).toMatchObject({
    status: 410,
    body: { detail: expect.stringContaining('no longer on the log') },
  });
  expect((await agent.readCall(first.call_id)).body.status).toBe('succeeded');
  rmSync(path.join(platform.workspace, 'a.txt'));
  expect((await write('a.txt')).body).toMatchObject({ status: 'succeeded', deduplicated: true, output: OUTPUT_ERASED });
  const now = (await write('b.txt')).body;
  expect(now.status).toBe('succeeded');
  expect(await verified(await bundleOf(last))).toBe('verified');
  expect(await verified(await bundleOf(now))).toBe('verified');
  expect(await verified(old)).toBe('verified');
  expect(await covered(`/v1/audit/consistency?first=${size}`)).toMatchObject({ first: size });
  expect((await look()).code).toBe(0);
});

test('an emptied database is folded from the remaining log: nothing runs twice, and calls continue', async () => {
  await platform.process.stop();
  rmSync(path.join(platform.dataDir, 'pg'), { recursive: true });
  await platform.up(env);
  expect((await write('a.txt')).body).toMatchObject({ status: 'succeeded', deduplicated: true, output: OUTPUT_ERASED });
  expect(existsSync(path.join(platform.workspace, 'a.txt'))).toBe(false);
  expect((await agent.callUntil(last.call_id, ({ status }) => status === 'succeeded')).call_id).toBe(last.call_id);
  expect((await agent.readCall(first.call_id)).status).toBe(404);
  const next = (await write('c.txt')).body;
  expect(next.status).toBe('succeeded');
  expect(await verified(await bundleOf(next))).toBe('verified');
  expect((await look()).code).toBe(0);
});
