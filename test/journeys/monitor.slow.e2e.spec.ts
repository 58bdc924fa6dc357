import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { monitor } from '@countersign/cli/commands/monitor';
import { forgeRecord } from '@countersign/event-log/testing/forged-journal';
import type { Bundle } from '@countersign/evidence';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from './api.js';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { daysFromNow } from './time-shift.js';

const AGO_DAYS = 200;
const SMALL_FILES = { COUNTERSIGN_JOURNAL_FILE_BYTES: '65536' };
const CONTENT = 'honest'.padEnd(8_000, '.');
const DISHONEST = pathToFileURL(path.join(process.cwd(), 'test/dist/forger/dishonest-signer.js')).href;
let platform: EmbeddedPlatform;
let auditor: Api;
let vkey: string;
let serial: number;

/** A look of the monitor that has its state in this folder. */
async function look(dir: string): Promise<{ code: number; output: string }> {
  const args = ['--vkey', vkey, '--log', platform.base, '--dir', path.join(platform.dir, dir), '--once'];
  const { code, lines } = await monitor.run(args, { COUNTERSIGN_TOKEN: auditor.key });
  return { code, output: lines.join('\n') };
}

async function write(case_id: string, name = `${++serial}.txt`): Promise<string> {
  const inputs = { path: name, content: CONTENT, mode: 'create' };
  const { body } = await platform.admin().call({ tool: 'write_file', inputs, case_id });
  expect(body.status).toBe('succeeded');
  return body.call_id;
}

async function newCase(): Promise<string> {
  return (await platform.admin().request<{ case_id: string }>('POST', '/v1/cases', { title: 'A case' })).body.case_id;
}

async function until<T>(what: string, work: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(200)) {
    const found = await work();
    if (found !== undefined) return found;
  }
  throw new Error(`in vain: ${what}`);
}

/** Number of leaves of cases that the newest checkpoint covers, in all generations of their tree. */
async function leaves(): Promise<number> {
  const { body } = await auditor.request<{ heads: [string, number, number][] }>('GET', '/v1/audit/heads');
  return body.heads.reduce((sum, [topic, , size]) => sum + (topic === 'cases' ? size : 0), 0);
}

/** Writes a file in a case, and waits until a checkpoint covers a leaf of a case more. */
async function covered(case_id: string, name?: string): Promise<string> {
  const before = await leaves();
  const call_id = await write(case_id, name);
  await until('another leaf of a case', async () => ((await leaves()) > before ? true : undefined));
  return call_id;
}

async function restarted(env: Record<string, string> = {}, between: () => Promise<void> | void = () => undefined): Promise<void> {
  await platform.process.stop();
  await between();
  await platform.up(env);
}

/** Neither a monitor that has followed the log nor a new one alerts. Returns what the new one says. */
async function areQuiet(name: string): Promise<string> {
  const [followed, fresh] = [await look('followed'), await look(`${name}-fresh`)];
  expect([followed.code, followed.output, fresh.code, fresh.output]).toEqual([0, expect.any(String), 0, expect.any(String)]);
  return fresh.output;
}

async function verified(bundle: Bundle): Promise<string> {
  const file = path.join(platform.dir, 'bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  return (await countersign({}, 'verify', file, '--vkey', vkey)).output;
}

const operator = (...args: string[]) => countersign({ COUNTERSIGN_KEY: platform.admin().key }, ...args, '--url', platform.base);

/** The operator accepts what the signer found. `next`: the tree that begins by it. */
async function acceptedDamage(next: string): Promise<void> {
  await until('the damage', async () => ((await operator('accept-damage')).output.includes('found by signer') ? true : undefined));
  expect((await operator('accept-damage', '--all', '--reason', 'no backup')).output).toContain(`continues as ${next}`);
}

/** From now on the signer lowers the counts of cases: each of these monitors alerts. */
async function liesAreFound(case_id: string, dirs: readonly string[]): Promise<void> {
  await restarted({ NODE_OPTIONS: `--import ${DISHONEST}`, COUNTERSIGN_TEST_FORGE: 'count' });
  await write(case_id);
  for (const dir of dirs) {
    const alert = await until(`an alert of ${dir}`, async () => {
      const { code, output } = await look(dir);
      return code === 0 ? undefined : output;
    });
    expect(alert).toMatch(/ALERT: the leaf of case .* counts \d+ records in all, and the case has \d+/);
  }
}

beforeEach(async () => {
  serial = 0;
  platform = await EmbeddedPlatform.create(SMALL_FILES);
});
afterEach(() => platform.close());

async function begin(env: Record<string, string> = {}): Promise<string> {
  await platform.up(env);
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
  const case_id = await newCase();
  await write(case_id);
  vkey = (await until('a checkpoint', async () => {
    const { headers } = await auditor.request('GET', '/v1/audit/checkpoint');
    return headers.get('countersign-vkey') ?? undefined;
  })) as string;
  return case_id;
}

test('records of cases are dropped: no alert, and an alert of a false leaf after it', async () => {
  const case_id = await begin(daysFromNow(-AGO_DAYS));
  for (let n = 0; n < 8; n++) await Promise.all([write(case_id), write(case_id), write(case_id), write(case_id)]);
  await covered(case_id);
  await areQuiet('before');
  await restarted();
  const admin = platform.admin();
  await admin.request('PUT', '/v1/retention', { floor_months: 6, rules: [] });
  await until('old records are dropped', async () => {
    const { body } = await admin.request<{ dropped: { segments: number } | null }>('POST', '/v1/log/drops', { keep_months: 6 });
    return body.dropped?.segments ? true : undefined;
  });
  await covered(case_id);
  expect(await areQuiet('after')).toMatch(/[1-9]\d* not \(records were dropped or given up\)/);
  const other = await newCase();
  await covered(other);
  await areQuiet('later');
  await liesAreFound(other, ['followed', 'after-fresh', 'later-fresh', 'new']);
});

test('a subject of a case is erased: no alert, and an alert of a false leaf after it', async () => {
  const case_id = await begin();
  const admin = platform.admin();
  await admin.request('PUT', '/v1/personal-data/files', { tools: ['write_file'], subjects: ['/path'] });
  await covered(case_id, 'ada.txt');
  await areQuiet('before');
  expect((await admin.request('POST', '/v1/subjects/ada.txt/erase', { reason: 'asked' })).status).toBeLessThan(300);
  await covered(case_id);
  await areQuiet('after');
  await liesAreFound(case_id, ['followed', 'after-fresh', 'new']);
});

test('a replaced record of a case is accepted, and its tree starts again: no alert, and an alert of a false leaf after it', async () => {
  const case_id = await begin();
  const call_id = await covered(case_id);
  await areQuiet('before');
  const { body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
  const request = body.records.find(({ event_type }) => event_type === 'tool_call_requested');
  const { topic, partition, offset } = request as Bundle['records'][number];
  await restarted({}, async () => {
    const place = { topic, partition, offset };
    await forgeRecord(path.join(platform.dataDir, 'log'), place, (value) => void value.write('forged', value.indexOf('honest')));
    rmSync(path.join(platform.dataDir, 'audit', 'trees', topic), { recursive: true });
  });
  await acceptedDamage(`${topic}/${partition}#2`);
  await restarted();
  expect((await operator('projections', 'rebuild', 'call')).code).toBe(0);
  await operator('accept-damage', '--all', '--reason', 'rows are folded anew');
  await covered(case_id);
  await areQuiet('after');
  await liesAreFound(case_id, ['followed', 'after-fresh', 'new']);
});

test('a leaf of a case that nobody can read is accepted, and the tree of cases starts again: no alert, and an alert of a false leaf after it', async () => {
  const case_id = await begin();
  await covered(case_id);
  await covered(case_id);
  await areQuiet('before');
  const place = { topic: 'cases', partition: 0, offset: 1 };
  await restarted({}, () => forgeRecord(path.join(platform.dataDir, 'log'), place, (value) => void value.fill(0)));
  // The comparison at the start finds the record first; then the signer finds that it cannot go on from it.
  await until('the tree of cases begins again', async () => {
    const { output } = await operator('accept-damage', '--all', '--reason', 'no backup');
    return output.includes('continues as cases/0#2') || undefined;
  });
  await covered(case_id);
  await areQuiet('after');
  const report = await until('a bundle with a leaf of the case', async () => {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
    return status === 200 && body.case ? verified(body) : undefined;
  });
  expect(report).toMatch(
    /complete up to cut \d+ .*\n.*began again by decision [0-9a-f-]+: records that the case had before are not counted/,
  );
  await restarted();
  await covered(case_id);
  await areQuiet('later');
  await liesAreFound(case_id, ['followed', 'after-fresh', 'new']);
});
