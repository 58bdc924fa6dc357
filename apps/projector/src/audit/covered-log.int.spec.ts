import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEventLog } from '@countersign/event-log';
import { BrokenRecord, CheckpointFolder, CosignedNotes, TextFile, TileFolder } from '@countersign/evidence';
import { type Cut, HeadsLog, nextCut, noteSigner, signCheckpoint, type TreeHead, wireHead } from '@countersign/proofs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CoveredLog } from './covered-log.js';

const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const TOPIC = 'tool-executed';
let dir: string;
let log: EmbeddedEventLog;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'covered-'));
  log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
  await log.ensureTopics([{ name: TOPIC, partitions: 2 }]);
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
  };
}

/** Appends records to both partitions, resumes from the stored state, and signs once all of them were read. */
async function grow(count: number, topics: readonly string[] = [TOPIC]): Promise<string> {
  const record = (n: number) => ({ topic: TOPIC, partition: n % 2, key: `k${n}`, value: Buffer.from(`value ${n}`), headers: {} });
  await log.append(Array.from({ length: count }, (_, n) => record(n)));
  const own = evidence();
  const covered = await CoveredLog.open(log, own);
  let ends = 0;
  for (const topic of new Set([TOPIC, ...topics]))
    for (let partition = 0; partition < log.partitions(topic); partition++) ends += await log.head(topic, partition);
  try {
    await covered.follow(topics, async () => undefined);
    for (const end = performance.now() + 30_000; covered.size < ends && performance.now() < end; ) await sleep(10);
    return await covered.sign(1_790_000_000_000);
  } finally {
    await covered.close();
    await own.checkpoints.close();
  }
}

const headOf = ([topic, partition, size, root]: ReturnType<typeof wireHead>): TreeHead => ({
  topic,
  partition,
  size,
  root: Buffer.from(root, 'base64'),
});

/** Signs the next checkpoint with the log's key over forged heads, as an attacker with disk and key could. */
async function forgeNext(forge: (head: TreeHead) => TreeHead | undefined): Promise<void> {
  const { checkpoints } = evidence();
  const kept = [];
  for await (const record of checkpoints.records()) kept.push(record);
  const newest = await checkpoints.newest();
  const before = HeadsLog.empty();
  for (const { time_ms, heads, cut } of kept) {
    before.appendHeads(time_ms, heads.map(headOf), cut);
  }
  const forged = [...(newest?.heads.values() ?? [])].flatMap((head) => forge(head) ?? []);
  const last = before.lastEntry as NonNullable<HeadsLog['lastEntry']>;
  const path = before.copy();
  path.appendHeads(last.time_ms, []);
  const cut: Cut = { number: nextCut(last.cut), state: 'closed' };
  const next = HeadsLog.at({ number: before.size, time_ms: last.time_ms, path: path.lastEntry?.path ?? [], cut }, forged) as HeadsLog;
  const { heads_root, trees } = next.lastEntry as NonNullable<HeadsLog['lastEntry']>;
  const note = signCheckpoint({ size: next.size, root: next.root() }, signer);
  const heads = forged.map(wireHead);
  await checkpoints.append({
    number: next.size - 1,
    time_ms: last.time_ms,
    trees,
    heads_root: heads_root.toString('base64'),
    full: false,
    heads,
    note,
    cut,
  });
  await checkpoints.close();
}

const sizeNow = async () => ((await evidence().checkpoints.newest())?.record.number ?? -1) + 1;

test('the trees of a lane that is no longer followed stay unchanged in every later checkpoint', async () => {
  const lane = `${TOPIC}.bulk`;
  await log.ensureTopics([{ name: lane, partitions: 1 }]);
  await log.append([{ topic: lane, partition: 0, key: null, value: Buffer.from('x'), headers: {} }]);
  expect(await grow(20, [TOPIC, lane])).toBe('kept');
  const before = (await evidence().checkpoints.newest())?.heads.get(`${lane}/0`);
  expect(before?.size).toBe(1);
  for (let n = 0; n < 3; n++) expect(await grow(4)).toBe('kept');
  const newest = await evidence().checkpoints.newest();
  expect([newest?.record.number, newest?.record.trees, newest?.heads.get(`${lane}/0`)]).toEqual([3, 3, before]);
});

describe('checkpoints that the holder of disk and key forges', () => {
  test('an honest log is signed at every start', async () => {
    expect([await grow(20), await grow(600), await grow(4), await sizeNow()]).toEqual(['kept', 'kept', 'kept', 3]);
  });

  test('the next checkpoint over a head with another old record: nothing is signed on top of it', async () => {
    await grow(20);
    await forgeNext((head) => ({ ...head, root: Buffer.alloc(32, 7), size: head.size + 1 }));
    await expect(grow(10)).rejects.toThrow('is not what was signed');
    expect(await sizeNow()).toBe(2);
  });

  test.each([
    ['leaves a tree out', (head: TreeHead) => (head.partition === 1 ? undefined : head)],
    ['takes a tree back', (head: TreeHead) => ({ ...head, size: head.size - 1 })],
    ['changes a tree that did not grow', (head: TreeHead) => ({ ...head, root: Buffer.alloc(32, 7) })],
  ])('the next checkpoint %s: nothing is signed on top of it', async (_, forge) => {
    await grow(20);
    await forgeNext(forge);
    await expect(grow(10)).rejects.toThrow('does not continue the one before');
    await expect(grow(10)).rejects.toThrow(BrokenRecord);
    expect(await sizeNow()).toBe(2);
  });

  test('checkpoints that this signer knows are cut: nothing is signed in their place', async () => {
    await grow(20);
    await grow(20);
    const covered = await CoveredLog.open(log, evidence());
    await covered.close();
    const file = path.join(dir, 'checkpoints', '000000000000.ndjson');
    const [first] = (await readFile(file, 'utf8')).split('\n') as [string];
    await writeFile(file, `${first}\n`);
    await expect(grow(10)).rejects.toThrow('checkpoints were deleted');
  });
});
