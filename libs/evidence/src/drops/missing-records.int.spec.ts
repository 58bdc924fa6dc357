import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EventCodec, type EventMap, firstMeta } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { noteSigner, signCheckpoint, type TreeHead } from '@countersign/proofs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CheckpointFolder } from '../checkpoints/checkpoint-folder.js';
import { TextFile } from '../checkpoints/kept-text.js';
import { StepSigner } from '../testing/step-signer.js';
import { TileFolder } from '../trees/tile-folder.js';
import { DroppedBucket, DroppedFolder } from './dropped-leaves.js';
import { hasLeaves, keepLeaves } from './keep-leaves.js';
import { missingRecords, shortened } from './missing-records.js';

const RECORDS = 'tool-executed';
const SETTINGS = 'configuration-changed';
const TREE = `${RECORDS}/0`;
const COUNT = 700;
const TIME_MS = 1_790_000_000_000;
const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const codec = new EventCodec();
let dir: string;
let log: EmbeddedEventLog;

const tiles = () => new TileFolder(path.join(dir, 'trees'));
const dropped = () => new DroppedFolder(path.join(dir, 'dropped'));
const checkpoints = () => new CheckpointFolder(path.join(dir, 'checkpoints'));
const checked = () => new TextFile(path.join(dir, 'checked.json'));
const leavesFile = () => path.join(dir, 'dropped', `${TREE}.leaves`);
const signed = () =>
  StepSigner.open({ log, checkpoints: checkpoints(), tiles: tiles(), dropped: dropped(), signer, checked: checked() }, [RECORDS, SETTINGS]);
const sign = async () => (await signed()).sign(TIME_MS);
const headOf = async () => (await checkpoints().newest())?.heads.get(TREE) as TreeHead;
const note = async () => (await checkpoints().newest())?.record.note as string;

const record = (topic: string, value: Buffer, event_type = 'x') => ({ topic, partition: 0, key: null, value, headers: { event_type } });
/** Small writes: only whole files are dropped, and each write is in one file. */
async function append(count: number, text = 'value'): Promise<void> {
  for (let n = 0; n < count; n += 20)
    await log.append(
      Array.from({ length: Math.min(20, count - n) }, (_, at) => record(RECORDS, Buffer.from(`${text} ${n + at} ${'x'.repeat(50)}`))),
    );
}

async function dropOf(fields: Partial<EventMap['log_dropped']>): Promise<Buffer> {
  const meta = firstMeta('default', TIME_MS);
  const by = { kind: 'user' as const, id: 'ada', roles: [] };
  return codec.encode('log_dropped', {
    meta,
    before_ms: TIME_MS,
    checkpoint: await note(),
    by,
    dropped_at_ms: TIME_MS,
    below: [],
    ...fields,
  });
}

async function recordDrop(fields: Partial<EventMap['log_dropped']>): Promise<void> {
  await log.append([record(SETTINGS, await dropOf(fields), 'log_dropped')]);
}

const remove = (below: number) => log.drop({ below: (topic) => (topic === RECORDS ? below : 0), carries: (topic) => topic === SETTINGS });

async function missing() {
  const newest = await checkpoints().newest();
  const short = await shortened(log, newest?.heads.values() ?? []);
  const sources = { log, codec, checkpoints: checkpoints(), verifier: signer.verifier };
  return missingRecords(sources, newest, short, 'start');
}

const below = (offset: number) => [{ topic: RECORDS, partition: 0, offset }];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'drops-'));
  log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), segment_bytes: 8_000, chunk_bytes: 1024, fsync: 'none' });
  await log.ensureTopics([RECORDS, SETTINGS].map((name) => ({ name, partitions: 1 })));
  await append(COUNT);
  await log.append([record(SETTINGS, Buffer.from('setting'))]);
  await sign();
});
afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

describe('records that are missing at the start of a partition', () => {
  test('are a drop if a log_dropped under a checkpoint covers them', async () => {
    expect(await missing()).toEqual([]);
    await recordDrop({ below: below(600) });
    await sign();
    await remove(600);
    expect(await log.first(RECORDS, 0)).toBeGreaterThan(300);
    expect(await missing()).toEqual([]);
  });

  test('are a drop of an earlier release if its checkpoint covers them', async () => {
    await recordDrop({});
    await sign();
    await remove(600);
    expect(await missing()).toEqual([]);
  });

  test.each([
    ['nothing is on the record', async () => undefined],
    ['a log_dropped is not under a checkpoint', () => recordDrop({ below: below(600) })],
    ['the signed log_dropped names fewer', () => recordDrop({ below: below(100) }).then(sign)],
    [
      'the signed log_dropped is of another partition',
      () => recordDrop({ below: [{ topic: SETTINGS, partition: 0, offset: 1 }] }).then(sign),
    ],
    [
      'it names more than its own checkpoint covers',
      () =>
        append(100)
          .then(() => recordDrop({ below: below(COUNT + 50) }))
          .then(sign),
    ],
    [
      'its checkpoint is signed by another key',
      async () => {
        const root = Buffer.alloc(32, 3);
        const checkpoint = signCheckpoint({ size: 1, root }, noteSigner('countersign.test/log', Buffer.alloc(32, 2)));
        await recordDrop({ below: below(600), checkpoint });
        await sign();
      },
    ],
    [
      'its checkpoint is not of this log',
      async () => {
        await recordDrop({ below: below(600), checkpoint: signCheckpoint({ size: 1, root: Buffer.alloc(32, 3) }, signer) });
        await sign();
      },
    ],
  ])('are damage if %s', async (_, forge) => {
    await forge();
    await remove(600);
    const first = await log.first(RECORDS, 0);
    expect(await missing()).toEqual([
      {
        kind: 'log',
        found_by: 'start',
        topic: RECORDS,
        partition: 0,
        first_offset: expect.any(Number),
        last_offset: first - 1,
        reason: expect.stringContaining(TREE),
      },
    ]);
  });

  test('are damage if a log_dropped replaces a signed record', async () => {
    await log.append([record(SETTINGS, Buffer.from('another'), 'log_dropped')]);
    await sign();
    const value = await dropOf({ below: below(600) });
    await remove(600);
    const read = log.read.bind(log);
    log.read = async (topic, partition, from, max) =>
      (await read(topic, partition, from, max)).map((each) => (topic === SETTINGS && each.offset === 1 ? { ...each, value } : each));
    expect(await missing()).toHaveLength(1);
  });
});

describe('leaf hashes of dropped records', () => {
  const keep = async (offset: number, first = 0) => keepLeaves(await headOf(), { first, below: offset }, tiles(), dropped());

  test.each([1, 255, 256, 512, 513, COUNT])('are stored below %i and lead to the signed head', async (offset) => {
    expect(await keep(offset)).toBeUndefined();
    expect([await hasLeaves(dropped(), TREE, offset), await hasLeaves(dropped(), TREE, offset + 1)]).toEqual([true, false]);
    expect((await readFile(leavesFile())).length).toBe(offset * 32);
  });

  test('are stored in a bucket as in a folder', async () => {
    const objects = new Map<string, Uint8Array>();
    const bucket = {
      get: async (key: string) => (objects.has(key) ? Buffer.from(objects.get(key) as Uint8Array) : undefined),
      put: async (key: string, bytes: Uint8Array) => void objects.set(key, Buffer.from(bytes)),
    };
    const own = new DroppedBucket(bucket, 'audit/dropped');
    expect(await keepLeaves(await headOf(), { first: 0, below: 0 }, tiles(), own)).toBeUndefined();
    expect(await keepLeaves(await headOf(), { first: 0, below: 300 }, tiles(), own)).toBeUndefined();
    expect(await keepLeaves(await headOf(), { first: 300, below: 600 }, tiles(), own)).toBeUndefined();
    expect([...objects.keys()]).toEqual(['000', '001', '002'].map((index) => `audit/dropped/${TREE}/0/${index}`));
    expect([await hasLeaves(own, TREE, 600), await hasLeaves(own, TREE, 601)]).toEqual([true, false]);
  });

  test.each([
    [0, 5],
    [1, 100],
    [2, 8],
  ])('are not stored from tiles that differ from what was signed: tile %i, byte %i', async (tile, byte) => {
    const file = path.join(dir, 'trees', TREE, '0', `00${tile}`);
    const bytes = await readFile(file);
    bytes.writeUInt8(bytes.readUInt8(byte) ^ 1, byte);
    await writeFile(file, bytes);
    expect(await keep(COUNT)).toContain(`the tiles of ${TREE}: the ${COUNT} records to drop do not lead to the signed head`);
    expect(await hasLeaves(dropped(), TREE, 1)).toBe(false);
  });

  test('are not stored if tiles are missing; a truncated or changed copy is detected before more is dropped', async () => {
    expect(await keep(300)).toBeUndefined();
    await rm(path.join(dir, 'trees', TREE, '0', '001'));
    expect(await keep(600, 250)).toContain('are missing');
    await rm(path.join(dir, 'trees'), { recursive: true });
    expect(await keep(300)).toContain('are missing');
    await sign();
    await append(1);
    await sign();
    expect(await keep(600, 300)).toBeUndefined();
    await writeFile(leavesFile(), (await readFile(leavesFile())).fill(7, 40, 50));
    expect(await keep(650, 600)).toContain('do not lead to the signed head');
    await writeFile(leavesFile(), (await readFile(leavesFile())).subarray(0, 1000));
    expect(await keep(650, 600)).toContain('are missing');
  });

  test('restore lost tiles, and the tree continues with the rest of the log', async () => {
    expect(await keep(600)).toBeUndefined();
    await recordDrop({ below: below(600) });
    await sign();
    await remove(600);
    const old = await readFile(path.join(dir, 'trees', TREE, '0', '000'));
    await rm(path.join(dir, 'trees'), { recursive: true });
    await append(40);
    expect(await sign()).toBe('kept');
    expect(await readFile(path.join(dir, 'trees', TREE, '0', '000'))).toEqual(old);
    expect((await headOf()).size).toBe(COUNT + 40);
    expect(await missing()).toEqual([]);
  });

  test('that are truncated or changed are detected when lost tiles need them', async () => {
    await keep(600);
    await recordDrop({ below: below(600) });
    await sign();
    await remove(600);
    await rm(path.join(dir, 'trees'), { recursive: true });
    const kept = await readFile(leavesFile());
    await writeFile(leavesFile(), Buffer.from(kept).fill(7, 40, 50));
    await expect(signed().then((own) => own.sign(TIME_MS))).rejects.toThrow('is not what was signed');
    await writeFile(leavesFile(), kept.subarray(0, 1000));
    await expect(sign()).rejects.toThrow('leaf hashes of records 0 and later are missing');
    await writeFile(leavesFile(), kept.subarray(0, 1000));
    await appendFile(leavesFile(), kept.subarray(1000));
    await append(1);
    expect(await sign()).toBe('kept');
  });
});
