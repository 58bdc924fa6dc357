import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CASES_TOPIC, EventCodec, firstMeta } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { forgeRecord } from '@countersign/event-log/testing/forged-journal';
import {
  BrokenRecord,
  CaseTopic,
  CHECKPOINT_TOPIC,
  CheckpointFolder,
  CheckpointTopic,
  CosignedNotes,
  DroppedFolder,
  type FoundDamage,
  LogFirstCheckpoints,
  RestoredCheckpoints,
  TextFile,
  TileFolder,
} from '@countersign/evidence';
import { StepSigner } from '@countersign/evidence/testing/step-signer';
import { COSIGNATURE_V1, cosign, noteSigner, parseNote, type Witness } from '@countersign/proofs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StartCheck } from './start-check.js';

const RECORDS = 'tool-executed';
const SETTINGS = 'configuration-changed';
const TIME_MS = 1_790_000_000_000;
const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const witness = noteSigner('witness.test', Buffer.alloc(32, 2), COSIGNATURE_V1);
const witnesses: Witness[] = [{ key: witness.verifier, checks: 'heads' }];
const codec = new EventCodec();
let dir: string;
let log: EmbeddedEventLog;
let warned: object[];
let found: FoundDamage[];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'start-check-'));
  [warned, found] = [[], []];
  log = await open('log');
});
afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

async function open(name: string): Promise<EmbeddedEventLog> {
  const opened = await EmbeddedEventLog.open({
    dir: path.join(dir, name),
    segment_bytes: 4_000,
    chunk_bytes: 512,
    fsync: 'none',
    clock: () => TIME_MS,
  });
  await opened.ensureTopics([RECORDS, SETTINGS, CASES_TOPIC, CHECKPOINT_TOPIC].map((topic) => ({ name: topic, partitions: 1 })));
  return opened;
}

const audit = (...names: string[]) => path.join(dir, 'audit', ...names);
const lines = () => audit('checkpoints', '000000000000.ndjson');

function evidence(configured: readonly Witness[] = [], at_start?: number) {
  const checkpoints = new LogFirstCheckpoints(new CheckpointFolder(audit('checkpoints')), new CheckpointTopic(log, codec));
  const tiles = new TileFolder(audit('trees'));
  return {
    tiles,
    dropped: new DroppedFolder(audit('dropped')),
    checkpoints,
    restored: new RestoredCheckpoints(checkpoints, tiles, signer.verifier, at_start),
    signer,
    cosigned: new CosignedNotes(new TextFile(audit('cosigned.json')), checkpoints, signer.verifier, configured),
    checked: new TextFile(audit('checked.json')),
    cases: new CaseTopic(log, codec),
  };
}

function check(configured: readonly Witness[] = [], at_start?: number): StartCheck {
  const note = (fields: object) => void warned.push(fields);
  const logger = { warn: note, info: note, error: note, debug: () => undefined } as never;
  return new StartCheck({ log, codec, logger }, evidence(configured, at_start), { found: (damage) => found.push(damage) > 0 });
}

const append = (count: number) =>
  log.append(
    Array.from({ length: count }, (_, n) => ({ topic: RECORDS, partition: 0, key: null, value: Buffer.from(`value ${n}`), headers: {} })),
  );
async function sign(times = 1): Promise<void> {
  const signed = await StepSigner.open({ log, ...evidence() }, [RECORDS, SETTINGS]);
  for (let n = 0; n < times; n++) {
    await append(3);
    expect(await signed.sign(TIME_MS + n)).toBe('kept');
  }
}
const newest = async () => (await evidence().checkpoints.newest())?.record;

async function recordDrop(below: number): Promise<void> {
  const by = { kind: 'user' as const, id: 'ada', roles: [] };
  const checkpoint = (await newest())?.note as string;
  const named = [{ topic: RECORDS, partition: 0, offset: below }];
  const value = codec.encode('log_dropped', {
    meta: firstMeta('default', TIME_MS),
    before_ms: TIME_MS,
    checkpoint,
    by,
    dropped_at_ms: TIME_MS,
    below: named,
  });
  await log.append([{ topic: SETTINGS, partition: 0, key: null, value, headers: { event_type: 'log_dropped' } }]);
}
const remove = (below: number) => log.drop({ below: (topic) => (topic === RECORDS ? below : 0), carries: (topic) => topic !== RECORDS });

describe('a start of the signer', () => {
  test('reports nothing if everything is complete', async () => {
    expect([await check().run(), await check().compare()]).toEqual([undefined, true]);
    await sign(5);
    expect([await check().run(), await check().compare()]).toEqual([undefined, true]);
    expect([warned, found]).toEqual([[], []]);
  });

  test('a deleted audit folder is restored from the log, and the next signature continues it', async () => {
    await sign(7);
    const before = await newest();
    await rm(audit(), { recursive: true });
    expect(await newest()).toBeUndefined();
    await check().run();
    expect(warned).toEqual([{ event: 'checkpoints_restored', restored: 7 }]);
    expect(await newest()).toEqual(before);
    await sign(2);
    expect((await newest())?.number).toBe(8);
  });

  test('checkpoints that were cut are restored from the log', async () => {
    await sign(6);
    const all = await readFile(lines(), 'utf8');
    await writeFile(lines(), all.split('\n').slice(0, 2).join('\n').concat('\n'));
    await check().run();
    expect(warned).toEqual([{ event: 'checkpoints_restored', restored: 4 }]);
    expect(await readFile(lines(), 'utf8')).toBe(all);
  });

  test.each([
    [
      'edited',
      (all: string) => all.replace(`"time_ms":${TIME_MS + 1}`, `"time_ms":${TIME_MS + 7}`),
      'checkpoint 2 in the store differs from the one on',
    ],
    [
      'removed',
      (all: string) => all.replace(/^\{"number":1,.*\n/m, ''),
      'checkpoint 2 is missing from the store, and later ones are there',
    ],
    ['no checkpoint at all', (all: string) => all.replace(/^\{"number":1/m, '{number'), 'has a line that is not a checkpoint'],
  ])('an old line that is %s is found', async (_, edit, reason) => {
    await sign(6);
    const all = await readFile(lines(), 'utf8');
    expect(edit(all)).not.toBe(all);
    await writeFile(lines(), edit(all));
    await expect(check().run()).rejects.toThrow(reason);
    await expect(check().run()).rejects.toThrow(BrokenRecord);
  });

  test('lines that a start defers are compared while it runs', async () => {
    await sign(6);
    await writeFile(lines(), (await readFile(lines(), 'utf8')).replace(`"time_ms":${TIME_MS + 1}`, `"time_ms":${TIME_MS + 7}`));
    await check([], 2).run();
    await expect(check([], 2).compareOlder(() => false)).rejects.toThrow('checkpoint 2 in the store differs from the one on');
    expect(await check([], 2).compareOlder(() => true)).toBeUndefined();
    expect(await check([], 5).compareOlder(() => false)).toBeUndefined();
  });

  test('a cut end of the topic is written again from the store', async () => {
    await sign(6);
    const another = await open('another');
    const copy = async (topic: string, count: number) => another.append(await log.read(topic, 0, 0, count));
    await copy(RECORDS, 18);
    await copy(CHECKPOINT_TOPIC, 4);
    await log.close();
    log = another;
    await check().run();
    expect(warned).toEqual([{ event: 'checkpoints_copied', copied: 2 }]);
    expect(await log.head(CHECKPOINT_TOPIC, 0)).toBe(6);
  });

  test('a cosigned checkpoint that is stored nowhere is found', async () => {
    await sign(3);
    const { note } = (await newest()) as { note: string };
    await evidence(witnesses).cosigned.add(note + cosign(parseNote(note)?.text as string, 1_790_000_000, witness));
    await check(witnesses).run();
    await log.close();
    const cosigned = await readFile(audit('cosigned.json'), 'utf8');
    await rm(audit(), { recursive: true });
    log = await open('another');
    await sign(2);
    await writeFile(audit('cosigned.json'), cosigned);
    await expect(check(witnesses).run()).rejects.toThrow('checkpoint 3 was cosigned but is missing');
    await sign(1);
    await append(1);
    await log.append([{ topic: SETTINGS, partition: 0, key: null, value: Buffer.from('x'), headers: {} }]);
    await sign(1);
    await writeFile(audit('cosigned.json'), cosigned.replace('"number":2', '"number":3'));
    await expect(check(witnesses).run()).rejects.toThrow('checkpoint 4 differs from the one that was cosigned');
  });

  test('a checkpoint for which a case has a leaf, and that is stored nowhere, is found', async () => {
    await sign(3);
    const leaf = { tenant_id: 'default', case_id: 'c-1', entry: 2, cut: 3, added: 1, records: 1, hash: '', previous: null };
    await evidence().cases.append([leaf], TIME_MS);
    expect(await check().compare()).toBe(true);
    const another = await open('another');
    await another.append(await log.read(RECORDS, 0, 0, 100));
    await another.append(await log.read(CASES_TOPIC, 0, 0, 100));
    await another.append(await log.read(CHECKPOINT_TOPIC, 0, 0, 2));
    await log.close();
    log = another;
    await writeFile(lines(), (await readFile(lines(), 'utf8')).split('\n').slice(0, 2).join('\n').concat('\n'));
    await check().run();
    await expect(check().compare()).rejects.toThrow(BrokenRecord);
    await expect(check().compare()).rejects.toThrow('cases offset 0 is a leaf for checkpoint 3, which is missing');
  });

  test('records that are missing at the start are damage, unless a signed drop covers them', async () => {
    for (let n = 0; n < 60; n++) await append(5);
    await sign(1);
    await remove(200);
    const first = await log.first(RECORDS, 0);
    expect(await check().compare()).toBe(false);
    const reason = expect.stringContaining(`${RECORDS}/0 begins at offset ${first}`);
    expect(found).toEqual([expect.objectContaining({ kind: 'log', found_by: 'start', topic: RECORDS, last_offset: first - 1, reason })]);
    await recordDrop(200);
    expect(await check().compare()).toBe(false);
    await sign(1);
    found = [];
    expect(await check().compare()).toBe(true);
    expect([warned, found]).toEqual([[], []]);
  });

  test('leaf hashes that a drop of an earlier release left in the tiles are stored; the signed checkpoint decides', async () => {
    for (let n = 0; n < 60; n++) await append(5);
    await sign(1);
    await recordDrop(200);
    await sign(1);
    await remove(200);
    expect(await check(witnesses).compare()).toBe(true);
    expect([warned, found]).toEqual([[{ event: 'cosignatures_missing' }], []]);
    expect((await readFile(audit('dropped', RECORDS, '0.leaves'))).length).toBe((await log.first(RECORDS, 0)) * 32);
    await rm(audit('trees'), { recursive: true });
    await sign(1);
  });

  test('a record that was replaced on disk, with a correct checksum, is found', async () => {
    await sign(7);
    await log.close();
    const place = { topic: RECORDS, partition: 0, offset: 4 };
    await forgeRecord(path.join(dir, 'log'), place, (value) => void value.write('VALUE'));
    log = await open('log');
    expect(await check().compare()).toBe(false);
    expect(found).toEqual([
      expect.objectContaining({ kind: 'log', found_by: 'start', topic: RECORDS, partition: 0, first_offset: 4, last_offset: 4 }),
    ]);
  });

  test('a complete tile that differs from what was signed is written again from the log', async () => {
    for (let n = 0; n < 200; n++) await append(3);
    await sign(1);
    const tile = audit('trees', RECORDS, '0', '0', '000');
    const before = await readFile(tile);
    await writeFile(tile, Buffer.alloc(before.length));
    expect(await check().compare()).toBe(true);
    expect([found, await readFile(tile)]).toEqual([[], before]);
  });
});
