import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedEventLog } from '@countersign/event-log';
import { type Bundle, CheckpointFolder, treeName } from '@countersign/evidence';
import { KeySnapshot, PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const run = promisify(execFile);
const CARRIED = new Set(['configuration-changed', 'tool-registered', 'trust-view', 'operator-command']);
let platform: EmbeddedPlatform;
let admin: Api;
let agent: Api;
let auditor: Api;

beforeAll(async () => {
  platform = await EmbeddedPlatform.start();
  admin = platform.admin();
  agent = await admin.keyFor('agent', 'agent-1', ['agent']);
  auditor = await admin.keyFor('user', 'audra', ['auditor']);
}, 60_000);
afterAll(() => platform.close(), 30_000);

async function covered<T>(url: string): Promise<T> {
  let last = '';
  for (const end = performance.now() + 20_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<T>('GET', url);
    if (status === 200) return body;
    last = `${status} ${JSON.stringify(body)}`;
  }
  throw new Error(`nothing covered ${url}: ${last}`);
}

async function verify(bundle: Bundle): Promise<number> {
  const file = path.join(platform.dir, 'bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  const cli = path.join(process.cwd(), 'node_modules/.bin/countersign');
  return run(process.execPath, [cli, 'verify', file, '--vkey', bundle.vkey]).then(
    () => 0,
    (fault: { code: number }) => fault.code,
  );
}

const write = (name: string) => agent.call({ tool: 'write_file', inputs: { path: name, content: 'x', mode: 'create' } });
const heads = async (): Promise<number> => Number((await covered<string>('/v1/audit/checkpoint')).split('\n')[1]);

test('only an administrator drops, nothing younger than the floor, and nothing that no file holds alone', async () => {
  const ask = (api: Api, body: unknown) => api.request('POST', '/v1/log/drops', body);
  expect((await ask(auditor, { keep_months: 12 })).status).toBe(403);
  expect((await ask(admin, { keep_months: 5 })).status).toBe(400);
  await covered('/v1/audit/checkpoint');
  expect((await ask(admin, { keep_months: 6, dry_run: true })).body).toMatchObject({ dry_run: true, records_below: {}, dropped: null });
  expect((await ask(admin, { keep_months: 6 })).body).toMatchObject({ dropped: { segments: 0 } });
}, 30_000);

test('behind a dropped journal nothing fires twice, what is left is proven, and an empty database is honest', async () => {
  const first = (await write('a.txt')).body;
  const old = await covered<Bundle>(`/v1/audit/bundle?call_id=${first.call_id}`);
  const size = await heads();
  const request = old.records.find(({ event_type }) => event_type === 'tool_call_requested') as Bundle['records'][number];
  await sleep(2_500); // a checkpoint covers all that was read and written
  await platform.process.stop();

  // Months later, as the product drops it: a new file was begun, and everything before it is old and covered.
  const newest = await new CheckpointFolder(path.join(platform.dataDir, 'audit', 'checkpoints')).newest();
  const log = await EmbeddedEventLog.open({ dir: path.join(platform.dataDir, 'log'), segment_bytes: 1 });
  await log.ensureTopics([{ name: 'scratch', partitions: 1 }]);
  const store = await PgliteStore.open({ dir: path.join(platform.dataDir, 'pg') });
  expect(await new KeySnapshot(store, path.join(platform.dataDir, 'effect-keys.snapshot')).save()).toBeGreaterThan(0);
  await store.close();
  const dropped = await log.drop({
    below: (topic, partition) => newest?.heads.get(treeName(topic, partition))?.size ?? 0,
    carries: (topic) => CARRIED.has(topic),
  });
  expect(dropped.segments).toBeGreaterThan(0);
  await log.close();

  await platform.up();
  const place = `topic=${request.topic}&partition=${request.partition}&offset=${request.offset}`;
  expect((await auditor.request('GET', `/v1/audit/proof?${place}`)).status).toBe(410);
  expect((await agent.readCall(first.call_id)).body.status).toBe('succeeded');
  rmSync(path.join(platform.workspace, 'a.txt'));
  const expected = { status: 'succeeded', deduplicated: true, output: 'erased' as unknown as Envelope['output'] };
  expect((await write('a.txt')).body).toMatchObject(expected);

  // One behind what was dropped of its own partition.
  let second = (await write('b0.txt')).body;
  for (let n = 1; second.call_id[0] !== first.call_id[0] && n < 50; n++) second = (await write(`b${n}.txt`)).body;
  expect(second.call_id[0]).toBe(first.call_id[0]);
  expect(second.status).toBe('succeeded');
  expect(await verify(await covered<Bundle>(`/v1/audit/bundle?call_id=${second.call_id}`))).toBe(0);
  expect(await verify(old)).toBe(0);
  expect(await covered(`/v1/audit/consistency?first=${size}`)).toMatchObject({ first: size });

  await platform.process.stop();
  rmSync(path.join(platform.dataDir, 'pg'), { recursive: true });
  await platform.up();
  expect((await write('a.txt')).body).toMatchObject(expected);
  expect(existsSync(path.join(platform.workspace, 'a.txt'))).toBe(false);
  expect((await agent.callUntil(second.call_id, ({ status }) => status === 'succeeded')).call_id).toBe(second.call_id);
  expect((await agent.readCall(first.call_id)).status).toBe(404);
  expect((await write('c.txt')).body.status).toBe('succeeded');
}, 120_000);
