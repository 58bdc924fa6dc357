import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgeRecord } from '@countersign/event-log/testing/forged-journal';
import type { Bundle } from '@countersign/evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
let auditor: Api;
let witnessKey: string;
let vkey: string;
let serial = 0;
/** The earlier call whose record is replaced. */
let call_id: string;
let place: { topic: string; partition: number; offset: number };
let decision: string;

const asAuditor = (...args: string[]) => countersign({ COUNTERSIGN_TOKEN: auditor?.key ?? '' }, ...args);
const file = (name: string) => path.join(platform.dir, name);
const write = (content = 'x') =>
  platform.admin().call({ tool: 'write_file', inputs: { path: `${++serial}.txt`, content, mode: 'create' } });
const witness = (...args: string[]) => asAuditor('witness', ...args, '--vkey', vkey, '--dir', file('witness'));
const look = () => witness('--log', platform.base, '--once');
const accept = (...args: string[]) =>
  countersign({ COUNTERSIGN_KEY: platform.admin().key }, 'accept-damage', '--url', platform.base, ...args);

/** Rows still have the content from before the log was replaced: they are rebuilt from the accepted log. */
async function rowsFoldedAnew(): Promise<void> {
  const rebuilt = await countersign({ COUNTERSIGN_KEY: platform.admin().key }, 'projections', 'rebuild', 'call', '--url', platform.base);
  expect(rebuilt.code).toBe(0);
  await accept('--all', '--reason', 'rows are folded anew');
}

async function until<T>(work: () => Promise<T | undefined>, what: string): Promise<T> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const found = await work();
    if (found !== undefined) return found;
  }
  throw new Error(`in vain: ${what}`);
}

const bundleOf = (id: string) =>
  until(async () => {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${id}`);
    return status === 200 ? body : undefined;
  }, `a bundle of ${id}`);

/** Waits until the witness has nothing new to cosign. */
const lookedThrough = () =>
  until(async () => {
    const { code, output } = await look();
    expect([code, output]).toEqual([0, expect.any(String)]);
    return output.includes('nothing new') ? output : undefined;
  }, 'nothing new');

async function restarted(between: () => Promise<void> | void = () => undefined): Promise<void> {
  await platform.process.stop();
  await between();
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });
}

/** Changes the content of a record, corrects its checksum, and deletes the tiles that would show it. */
async function damage(from: string, to: string): Promise<void> {
  await restarted(async () => {
    await forgeRecord(path.join(platform.dataDir, 'log'), place, (value) => void value.write(to, value.indexOf(from)));
    rmSync(path.join(platform.dataDir, 'audit', 'trees', place.topic), { recursive: true });
  });
  await until(async () => ((await accept()).output.includes('is not what was signed (found by signer') ? true : undefined), 'found');
}

const cosignedSize = async () => Number((await auditor.request<string>('GET', '/v1/audit/checkpoint?cosigned=true')).body.split('\n')[1]);

beforeAll(async () => {
  platform = await EmbeddedPlatform.create();
  witnessKey = (await asAuditor('witness', '--new-key', '--dir', file('witness'), '--name', 'witness.example')).output.trim();
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witnessKey}` });
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
}, 120_000);
afterAll(() => platform.close(), 30_000);

test('a record is replaced and its tiles are lost: writes stop, also after a restart', async () => {
  call_id = (await write('honest')).body.call_id;
  const earlier = await bundleOf(call_id);
  ({ vkey } = earlier);
  writeFileSync(file('earlier.json'), JSON.stringify(earlier));
  const { topic, partition, offset } = earlier.records.find(
    ({ event_type }) => event_type === 'tool_call_requested',
  ) as Bundle['records'][number];
  place = { topic, partition, offset };
  await lookedThrough();
  await damage('honest', 'forged');
  expect((await write()).status).toBe(409);
  await restarted();
  expect((await write()).status).toBe(409);
}, 120_000);

test('the operator accepts: the tree is frozen as signed, another tree continues, and writes and checkpoints resume', async () => {
  const accepted = await accept('--all', '--reason', 'no backup of Monday');
  const tree = `${place.topic}/${place.partition}`;
  expect(accepted).toMatchObject({ code: 0, output: expect.stringContaining(`continues as ${tree}#2 from offset 0`) });
  await restarted();
  await rowsFoldedAnew();
  const { body: call } = await write();
  expect(call.status).toBe('succeeded');
  await bundleOf(call.call_id);
  expect((await accept()).output).toContain('there is no open damage');
  const { body: covered } = await auditor.request<{ heads: [string, number, number, string, { number: number; decision: string }?][] }>(
    'GET',
    '/v1/audit/heads',
  );
  const own = covered.heads.filter(([topic, partition]) => topic === place.topic && partition === place.partition);
  expect(own.map(([, , , , of]) => of?.number ?? 1)).toEqual([1, 2]);
  decision = own[1]?.[4]?.decision as string;
  const read = await auditor.request<{ event: { reason: string } }>('GET', `/v1/audit/events/${decision}`);
  expect(JSON.stringify(read.body)).toContain('no backup of Monday');
}, 120_000);

test('the witness stops there until its own operator repeats the decision', async () => {
  const before = await cosignedSize();
  expect(await witness('accept')).toMatchObject({ code: 1, output: expect.stringContaining('is not waiting for a decision') });
  for (let n = 0; n < 2; n++) {
    const stopped = await look();
    expect([stopped.code, stopped.output]).toEqual([1, expect.stringContaining('STOPPED: this witness cosigns nothing')]);
    expect(stopped.output).toContain(`NOT CONTINUED: ${place.topic}/${place.partition} is frozen`);
    expect(stopped.output).toContain('no backup of Monday');
    expect(stopped.output).toContain(`witness accept ${decision}`);
    await restarted();
  }
  expect(await cosignedSize()).toBe(before);
  expect(await witness('accept', decision)).toMatchObject({ code: 2, output: expect.stringContaining('--reason is missing') });
  expect(await witness('accept', 'another', '--reason', 'x')).toMatchObject({ code: 1 });
  expect(await witness('accept', decision, '--reason', 'asked olga by phone')).toMatchObject({ code: 0 });
  await lookedThrough();
  expect(await cosignedSize()).toBeGreaterThan(before);
  const kept = readFileSync(path.join(file('witness'), `openings-${vkey.split('+')[1]}.json`), 'utf8');
  expect(kept).toContain('asked olga by phone');
}, 120_000);

test('what followed from the record before still names its hash: the bundle with the replaced one is refused', async () => {
  writeFileSync(file('replaced.json'), JSON.stringify(await bundleOf(call_id)));
  const { code, output } = await asAuditor('verify', file('replaced.json'), '--vkey', vkey);
  expect([code, output]).toEqual([1, expect.stringContaining('each record is proven, but the bundle is not complete or not in order')]);
  expect(output).toMatch(/the record that caused policy_decided policy-decided\/\d+\/\d+ is missing/);
}, 120_000);

/** A bundle of a new call whose request is in the tree that was opened. */
const bundleInTree = () =>
  until(async () => {
    const bundle = await bundleOf((await write()).body.call_id);
    return bundle.records.some(({ topic, partition }) => topic === place.topic && partition === place.partition) ? bundle : undefined;
  }, 'a call of that partition');

test('bundle and verify --since report it, from the log and from a stored history', async () => {
  writeFileSync(file('later.json'), JSON.stringify(await bundleInTree()));
  const tree = `${place.topic}/${place.partition}`;
  const alone = await asAuditor('verify', file('later.json'), '--vkey', vkey);
  expect(alone).toMatchObject({
    code: 0,
    output: expect.stringContaining(`are in ${tree}#2, which decision ${decision} started at offset 0`),
  });
  const since = (...more: string[]) => asAuditor('verify', file('later.json'), '--vkey', vkey, '--since', file('earlier.json'), ...more);
  for (const source of [
    ['--log', platform.base, '--save-history', file('history.json')],
    ['--history', file('history.json')],
  ]) {
    const { code, output } = await since(...source);
    expect([code, output]).toEqual([0, expect.stringContaining(`except 1 that a decision on the log froze and reopened`)]);
    expect(output).toContain(`NOT CONTINUED: ${tree} is frozen`);
    expect(output).toContain(`by decision ${decision}`);
  }
}, 120_000);

test('a second damage opens the third tree', async () => {
  await lookedThrough();
  await damage('forged', 'honest');
  expect((await write()).status).toBe(409);
  expect(await accept('--all', '--reason', 'again')).toMatchObject({ code: 0, output: expect.stringContaining('#3 from offset 0') });
  await rowsFoldedAnew();
  await bundleOf((await write()).body.call_id);
  const stopped = await look();
  expect([stopped.code, stopped.output]).toEqual([1, expect.stringContaining(`${place.topic}/${place.partition}#3 continues`)]);
}, 120_000);
