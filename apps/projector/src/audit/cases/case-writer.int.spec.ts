import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CASES_TOPIC, callTopics, EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog, type NewRecord } from '@countersign/event-log';
import { type CaseLeaf, CaseTopic, CheckpointFolder, CosignedNotes, TextFile, TileFolder } from '@countersign/evidence';
import { caseHash, caseStart, nodeHashing, noteSigner, recordHash } from '@countersign/proofs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Course, SampleHistory } from '../../testing/sample-history.js';
import { CoveredLog } from '../covered-log.js';
import { CaseWriter } from './case-writer.js';

const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const codec = new EventCodec();
const topics = [...callTopics, CASES_TOPIC];
let dir: string;
let log: EmbeddedEventLog;
let history: SampleHistory;
let told: number;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'cases-'));
  log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
  await log.ensureTopics(topics.map((name) => ({ name, partitions: 1 })));
  history = new SampleHistory();
  told = 0;
});
afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

function evidence() {
  const checkpoints = new CheckpointFolder(path.join(dir, 'checkpoints'));
  return {
    tiles: new TileFolder(path.join(dir, 'trees')),
    checkpoints,
    signer,
    cosigned: new CosignedNotes(new TextFile(path.join(dir, 'cosigned.json')), checkpoints, signer.verifier, []),
    checked: new TextFile(path.join(dir, 'checked.json')),
    cases: new CaseTopic(log, codec),
  };
}

/** The records of what the sample history says and the log does not have yet. `only`: those of one topic first. */
function untold(): NewRecord[] {
  const events = history.events.slice(told);
  told = history.events.length;
  return events.map(({ topic, event_type, event }) => ({
    topic,
    partition: 0,
    key: null,
    value: codec.encode(event_type, event as never),
    headers: { event_type },
  }));
}

async function leaves(): Promise<CaseLeaf[]> {
  return new CaseTopic(log, codec).read(0, 10_000, 1);
}

/** A run of the signer: each batch is appended and signed. Ends when the leaves of all entries are there, unless it is stopped before. */
async function run(batches: readonly (readonly NewRecord[])[], isStopped = false): Promise<void> {
  const own = evidence();
  const writer = new CaseWriter({ log, topic: own.cases, checkpoints: own.checkpoints, now_ms: () => 1_790_000_000_000 });
  const covered = await CoveredLog.open(log, own, [], isStopped ? undefined : writer);
  await covered.follow(topics, async () => undefined);
  if (!isStopped) writer.start();
  for (const batch of batches) {
    await log.append(batch);
    await signed(covered);
  }
  await writer.idle();
  await covered.close();
  await own.checkpoints.close();
}

async function signed(covered: CoveredLog): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(5)) {
    if (!(await isRead(covered))) continue;
    if ((await covered.sign(1_790_000_000_000)) !== 'behind') return;
  }
  throw new Error('nothing was signed');
}

async function isRead(covered: CoveredLog): Promise<boolean> {
  const heads = await Promise.all(topics.map((topic) => log.head(topic, 0)));
  return covered.size >= heads.reduce((sum, head) => sum + head, 0);
}

/** The chain of each case, from the records on the log. */
async function check(all: readonly CaseLeaf[]): Promise<Map<string, CaseLeaf>> {
  const cases = new Map<string, string>();
  for (const at of history.events)
    if (at.event_type === 'tool_call_requested' && at.event.call.case_id) cases.set(at.event.meta.call_id as string, at.event.call.case_id);
  const newest = new Map<string, CaseLeaf>();
  const counted = new Map<string, number>();
  for (const at of history.events) {
    const of = cases.get(at.event.meta.call_id ?? '');
    if (of) counted.set(of, (counted.get(of) ?? 0) + 1);
  }
  for (const leaf of all) {
    expect(leaf.previous).toBe(newest.get(leaf.case_id)?.offset ?? null);
    newest.set(leaf.case_id, leaf);
  }
  expect(new Map([...newest].map(([name, { records }]) => [name, records]))).toEqual(counted);
  return newest;
}

const shape = ({ offset: _, ...leaf }: CaseLeaf) => leaf;

test('each entry adds a leaf for each case that it touches, with count, hash and the leaf before', async () => {
  history.call('granted', 'c-1');
  history.call('allowed', 'c-2');
  history.call('denied', null);
  const first = untold();
  history.call('refused', 'c-1');
  await run([first, untold()]);
  const all = await leaves();
  await check(all);
  expect(all.map(({ case_id, entry, cut }) => [case_id, entry, cut])).toEqual([
    ['c-1', 0, 1],
    ['c-2', 0, 1],
    ['c-1', 1, 2],
  ]);
  const records = (await Promise.all(callTopics.toSorted().map((topic) => log.read(topic, 0, 0, 1000)))).flat();
  const of = (case_id: string) => records.filter(({ value }) => callsOf(case_id).has(codec.decode(value).event.meta.call_id as string));
  const one = all[1] as CaseLeaf;
  const hashes = of('c-2').map(recordHash);
  expect(caseHash(nodeHashing, caseStart(nodeHashing, 'acme', 'c-2'), { entry: 0, cut: 1 }, hashes).toString('base64')).toBe(one.hash);
});

const callsOf = (case_id: string) =>
  new Set(
    history.events.flatMap((at) =>
      at.event_type === 'tool_call_requested' && at.event.call.case_id === case_id ? [at.event.meta.call_id] : [],
    ),
  );

test('a start adds the leaves that are missing, the same as if the process had run on', async () => {
  for (const course of ['granted', 'allowed', 'doubted'] as Course[]) history.call(course, `c-${course}`);
  const first = untold();
  history.call('granted', 'c-granted');
  const second = untold();
  history.call('expired', 'c-granted');
  await run([first]);
  await run([second], true);
  expect(await leaves()).toHaveLength(3);
  await run([untold()]);
  const all = await leaves();
  await check(all);
  expect(all.map(({ case_id, entry }) => [case_id, entry]).slice(3)).toEqual([
    ['c-granted', 1],
    ['c-granted', 2],
  ]);
  await run([]);
  expect(await leaves()).toEqual(all);
});

test('leaves that a crash left out of an entry are added, and the others are not written again', async () => {
  for (const n of [1, 2, 3]) history.call('allowed', `c-${n}`);
  await run([untold()]);
  const whole = await leaves();
  // A second installation of the same log and entries has only the first leaf.
  await log.close();
  await rm(path.join(dir, 'log'), { recursive: true });
  log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none', clock: () => 1_790_000_000_000 });
  await log.ensureTopics(topics.map((name) => ({ name, partitions: 1 })));
  await rm(path.join(dir, 'checkpoints'), { recursive: true });
  await rm(path.join(dir, 'trees'), { recursive: true });
  await rm(path.join(dir, 'checked.json'), { force: true });
  told = 0;
  await run([untold()], true);
  const { offset: _, ...crashed } = whole[0] as CaseLeaf;
  const [hash] = await hashesOfFirstEntry();
  await new CaseTopic(log, codec).append([{ ...crashed, hash: hash as string }], 1);
  await run([]);
  const again = await leaves();
  expect(again.map(({ case_id, records }) => [case_id, records])).toEqual(whole.map(({ case_id, records }) => [case_id, records]));
  await check(again);
});

/** The hashes that the first entry gives to the cases, from a writer on a copy of the log. */
async function hashesOfFirstEntry(): Promise<string[]> {
  const records = (await Promise.all(callTopics.toSorted().map((topic) => log.read(topic, 0, 0, 1000)))).flat();
  return ['c-1', 'c-2', 'c-3'].map((case_id) => {
    const own = records.filter(({ value }) => callsOf(case_id).has(codec.decode(value).event.meta.call_id as string));
    return caseHash(nodeHashing, caseStart(nodeHashing, 'acme', case_id), { entry: 0, cut: 1 }, own.map(recordHash)).toString('base64');
  });
}

test('a record that is covered before the request of its call counts once the request is covered', async () => {
  history.call('allowed', 'c-1');
  const all = untold();
  const requests = all.filter(({ topic }) => topic === 'tool-call-requested');
  const others = all.filter(({ topic }) => topic !== 'tool-call-requested');
  await run([others]);
  expect(await leaves()).toEqual([]);
  await run([requests]);
  expect((await leaves()).map(shape)).toMatchObject([{ case_id: 'c-1', records: all.length, added: all.length }]);
});
