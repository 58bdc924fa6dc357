import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Bundle } from '@countersign/evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
let auditor: Api;
let vkey: string;
let serial = 0;

const file = (name: string) => path.join(platform.dir, name);
const asAuditor = (...args: string[]) => countersign({ COUNTERSIGN_TOKEN: auditor.key }, ...args);
const look = (dir: string) => asAuditor('monitor', '--vkey', vkey, '--log', platform.base, '--dir', file(dir), '--once');
const write = (case_id: string) =>
  platform.admin().call({ tool: 'write_file', inputs: { path: `${++serial}.txt`, content: 'x', mode: 'create' }, case_id });

async function newCase(): Promise<string> {
  const { body } = await platform.admin().request<{ case_id: string }>('POST', '/v1/cases', { title: 'A case' });
  return body.case_id;
}

async function until<T>(work: () => Promise<T | undefined>, what: string): Promise<T> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const found = await work();
    if (found !== undefined) return found;
  }
  throw new Error(`in vain: ${what}`);
}

/** The bundle of a case, once its newest leaf counts this many records. */
const bundleOf = (case_id: string, isWhole: (bundle: Bundle) => boolean) =>
  until(async () => {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
    if (status !== 200 || !isWhole(body)) return undefined;
    vkey = body.vkey;
    return body;
  }, `a bundle of ${case_id}`);

const counted = ({ case: of }: Bundle) => of?.steps.reduce((sum, { records }) => sum + records.length, 0) ?? 0;
const ofCalls = ({ records }: Bundle) =>
  records.filter(({ event }) => (event as { meta: { call_id: string | null } }).meta.call_id !== null).length;
const isComplete = (bundle: Bundle) => bundle.case !== undefined && counted(bundle) === ofCalls(bundle);

async function verify(bundle: unknown): Promise<{ code: number; output: string }> {
  writeFileSync(file('bundle.json'), JSON.stringify(bundle));
  return countersign({}, 'verify', file('bundle.json'), '--vkey', vkey);
}

async function restarted(env: Record<string, string> = {}, between: () => void = () => undefined): Promise<void> {
  await platform.process.stop();
  between();
  await platform.up(env);
}

beforeAll(async () => {
  platform = await EmbeddedPlatform.start();
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
});
afterAll(() => platform.close());

test('the bundle of a case is complete up to a cut; a record that is left out is noticed', async () => {
  const case_id = await newCase();
  await write(case_id);
  await bundleOf(case_id, isComplete);
  await write(case_id);
  const bundle = await bundleOf(case_id, isComplete);
  const { code, output } = await verify(bundle);
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/complete up to cut \d+ \(checkpoint \d+\): case .* had \d+ records, and all of them/),
  ]);
  expect(output).toContain('not proven: what came later than cut');
  expect(bundle.case?.steps.length).toBeGreaterThan(1);
  const [first, ...rest] = bundle.case?.steps ?? [];
  const lies = [
    { ...bundle.case, steps: rest },
    { ...bundle.case, steps: [{ ...first, records: first?.records.slice(1) }, ...rest] },
    { ...bundle.case, steps: [{ ...first, cut: (first?.cut ?? 0) + 1 }, ...rest] },
  ];
  for (const of of lies) expect((await verify({ ...bundle, case: of })).output).toContain('refused');
  const { case: _, ...without } = bundle;
  expect((await verify(without)).output).toContain('not proven: that the bundle is complete. It has no leaf of a case');
  const call_id = bundle.calls[0]?.call_id as string;
  const { body: ofOne } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
  expect((await verify(ofOne)).output).toMatch(/counts \d+ records up to cut \d+ .*; \d+ of them are not in this bundle/);
});

test('a monitor recomputes the leaves, goes on where it was, and accuses no honest log that starts again or loses its folders', async () => {
  const case_id = await newCase();
  await write(case_id);
  await bundleOf(case_id, isComplete);
  const first = await look('monitor');
  expect([first.code, first.output]).toEqual([
    0,
    expect.stringMatching(/checked up to checkpoint \d+: [1-9]\d* leaves of cases recomputed\n/),
  ]);
  await restarted();
  await write(case_id);
  await restarted({}, () => rmSync(path.join(platform.dataDir, 'audit'), { recursive: true }));
  await write(case_id);
  await bundleOf(case_id, isComplete);
  for (const dir of ['monitor', 'fresh']) expect(await look(dir)).toMatchObject({ code: 0 });
});

test.each([
  ['count', /ALERT: the leaf of case .* for checkpoint \d+ counts \d+ records in all, and the case has \d+/],
  ['added', /ALERT: .* counts \d+ records, and the checkpoint adds \d+/],
  ['hash', /ALERT: .* has the hash of other records/],
  ['previous', /ALERT: .* does not lead to the leaf before/],
  ['cut', /ALERT: .* has cut \d+, and its checkpoint has \d+/],
  ['leave out', /ALERT: .* is missing/],
])('a signer that lies about a leaf (%s): the monitor alerts, and the bundle does not say that it is complete', async (lie, alert) => {
  const forger = pathToFileURL(path.join(process.cwd(), 'test/dist/forger/dishonest-signer.js')).href;
  const [case_id, other] = [await newCase(), await newCase()];
  await write(case_id);
  await bundleOf(case_id, isComplete);
  mkdirSync(file(lie));
  expect(await look(lie)).toMatchObject({ code: 0 });
  await restarted({ NODE_OPTIONS: `--import ${forger}`, COUNTERSIGN_TEST_FORGE: lie });
  await write(case_id);
  await write(other);
  await bundleOf(other, isComplete);
  // Later entries with leaves of other cases show that one is missing.
  const found = await until(async () => {
    await write(await newCase());
    const looked = await look(lie);
    return looked.code === 0 ? undefined : looked;
  }, `an alert of ${lie}`);
  expect([found.code, found.output]).toEqual([1, expect.stringMatching(alert)]);
  expect((await look(lie)).output).toContain('ALERT');
  const { body: bundle } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
  expect((await verify(bundle)).output).toMatch(
    /[1-9]\d* more records of calls in the bundle are not counted there|It has no leaf of a case/,
  );
  await platform.process.stop();
  rmSync(platform.dataDir, { recursive: true });
  await platform.up();
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
});
