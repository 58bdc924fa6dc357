import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEventLog } from '@countersign/event-log';
import { BrokenRecord, CheckpointFolder, CosignedNotes, ProofReader, TextFile, TileFolder } from '@countersign/evidence';
import { isConsistent, noteSigner, openCheckpoint, parseNote } from '@countersign/proofs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CheckpointWriter } from './checkpoint-writer.js';
import { LogSigning, type SigningParts } from './log-signing.js';

const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const topics = ['configuration-changed', 'tool-executed'];
const quiet = { warn: () => undefined, error: () => undefined };
let dir: string;
let log: EmbeddedEventLog;
let broken: string[];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'audit-'));
  broken = [];
  log = await open('log');
});
afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

async function open(name: string): Promise<EmbeddedEventLog> {
  const opened = await EmbeddedEventLog.open({ dir: path.join(dir, name), fsync: 'none' });
  await opened.ensureTopics(topics.map((topic) => ({ name: topic, partitions: topic === 'tool-executed' ? 2 : 1 })));
  return opened;
}

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

async function append(count: number, text = 'value', onto = log): Promise<void> {
  const record = (n: number) => ({
    topic: 'tool-executed',
    partition: n % 2,
    key: `k${n}`,
    value: Buffer.from(`${text} ${n}`),
    headers: {},
  });
  await onto.append(Array.from({ length: count }, (_, n) => record(n)));
}

/** Runs a writer until everything on the log is signed, or is found to differ from what was signed. */
async function signAll(from = log, start?: SigningParts['start']): Promise<CheckpointWriter> {
  const known = broken.length;
  const signing = new LogSigning({
    log: from,
    evidence: evidence(),
    ...(start ? { start } : {}),
    now_ms: () => 1_790_000_000_000,
    logger: quiet,
    damage: {
      found: ({ reason }) => broken.push(reason) > 0,
      openings: [],
      get holdsSigning() {
        return broken.length > known;
      },
    },
  });
  const writer = new CheckpointWriter(from, { topics: async () => topics, learn: async () => false }, signing);
  await writer.start();
  for (const end = performance.now() + 30_000; performance.now() < end && broken.length === 0 && !(await isSigned(from)); ) await sleep(20);
  await writer.close();
  return writer;
}

/** True if the newest record of each partition is proven, and so all before it. */
async function isSigned(from: EmbeddedEventLog): Promise<boolean> {
  for (const partition of [0, 1]) {
    const [record] = await from.read('tool-executed', partition, (await from.head('tool-executed', partition)) - 1, 1);
    if ((await reader().prove(record as never)).kind !== 'proof') return false;
  }
  return true;
}

const reader = () => new ProofReader(evidence().checkpoints, evidence().tiles, signer.verifier);
const sizeOf = (note: string | undefined) => openCheckpoint(note as string, signer.verifier)?.size;

async function proven(offset: number): Promise<string> {
  const [record] = await log.read('tool-executed', 1, offset, 1);
  return (await reader().prove(record as never)).kind;
}

describe('checkpoints of a log', () => {
  test('cover every record; each is proven, and a later one is not covered yet', async () => {
    await append(1200);
    await signAll();
    expect([await proven(0), await proven(300), await proven(599)]).toEqual(['proof', 'proof', 'proof']);
    await append(2);
    expect(await proven(600)).toBe('not_covered');
    const first = await reader().checkpoint();
    await signAll();
    expect(await proven(600)).toBe('proof');
    expect(sizeOf(await reader().checkpoint())).toBeGreaterThan(sizeOf(first) as number);
    expect(await reader().faults()).toEqual([]);
  });

  test('are consistent with one another', async () => {
    const notes: string[] = [];
    for (let n = 0; n < 3; n++) {
      await append(10);
      await signAll();
      notes.push((await reader().checkpoint()) as string);
    }
    const newest = openCheckpoint(notes[2] as string, signer.verifier);
    for (const note of notes) {
      const older = openCheckpoint(note, signer.verifier);
      const found = (await reader().consistency(older?.size as number)) as { path: string[] };
      const path = found.path.map((hash) => Buffer.from(hash, 'base64'));
      expect(isConsistent(older as never, newest as never, path)).toBe(true);
    }
  });

  test('are not reported as consistent from tiles that do not prove it', async () => {
    for (let n = 0; n < 3; n++) {
      await append(10);
      await signAll();
    }
    const size = sizeOf(await reader().checkpoint()) as number;
    expect(await reader().consistency(1)).toMatchObject({ second: size });
    const tiles = path.join(dir, 'trees', 'checkpoints');
    const { readdir, readFile, stat, writeFile } = await import('node:fs/promises');
    for (const name of await readdir(tiles, { recursive: true })) {
      const file = path.join(tiles, name);
      if (!(await stat(file)).isFile()) continue;
      const hashes = await readFile(file);
      hashes.writeUInt8(hashes.readUInt8(40) ^ 1, 40);
      await writeFile(file, hashes);
    }
    expect(await reader().consistency(1)).toBe(`the tiles of the checkpoints do not lead from size 1 to ${size}`);
    await rm(tiles, { recursive: true });
    expect(typeof (await reader().consistency(1))).toBe('string');
    expect(await reader().consistency(size + 1)).toBeUndefined();
  });

  test('without new records there is no new checkpoint', async () => {
    await append(10);
    await signAll();
    const note = await reader().checkpoint();
    await signAll();
    expect(await reader().checkpoint()).toBe(note);
  });

  test('continue after the tiles of the records were lost: they are hashed again and must match the signature', async () => {
    await append(700);
    await signAll();
    await rm(path.join(dir, 'trees', 'tool-executed'), { recursive: true });
    expect(await proven(3)).toBe('broken');
    await append(10);
    await signAll();
    expect([await proven(3), await proven(350)]).toEqual(['proof', 'proof']);
    expect(broken).toEqual([]);
  });

  test('continue after the tiles of the checkpoints were lost: they are hashed again from the stored checkpoints', async () => {
    await append(10);
    await signAll();
    await append(10);
    await signAll();
    await rm(path.join(dir, 'trees', 'checkpoints'), { recursive: true });
    await append(10);
    await signAll();
    expect([await proven(3), await proven(14)]).toEqual(['proof', 'proof']);
    expect(await reader().consistency(1)).toMatchObject({ path: expect.any(Array) });
    expect(broken).toEqual([]);
  });

  test('stop permanently if the stored checkpoints differ from what the newest signed', async () => {
    await append(10);
    await signAll();
    await append(10);
    await signAll();
    const { readFile, writeFile } = await import('node:fs/promises');
    const file = path.join(dir, 'checkpoints', '000000000000.ndjson');
    const lines = (await readFile(file, 'utf8')).replace('"time_ms":1790000000000', '"time_ms":1790000000001');
    await writeFile(file, lines);
    await rm(path.join(dir, 'trees', 'checkpoints'), { recursive: true });
    await append(10);
    await signAll();
    expect(broken).toEqual([expect.stringContaining('differ from what it signed')]);
  });

  test('stop permanently if the log is shorter than what was signed', async () => {
    await append(20);
    await signAll();
    const note = await reader().checkpoint();
    await log.close();
    log = await open('another');
    await append(10, 'value', log);
    await signAll();
    expect(broken).toEqual([0, 1].map((partition) => `tool-executed/${partition} ends at offset 5, but is signed up to offset 10`));
    expect(await reader().checkpoint()).toBe(note);
  });

  test('stop permanently if a record differs from what was signed', async () => {
    await append(20);
    await signAll();
    const note = await reader().checkpoint();
    await log.close();
    log = await open('another');
    await append(30, 'forged', log);
    await rm(path.join(dir, 'trees', 'tool-executed'), { recursive: true });
    await signAll();
    expect(broken).toEqual([expect.stringContaining('is not what was signed')]);
    expect(await reader().checkpoint()).toBe(note);
    expect(await proven(3)).toBe('broken');
  });

  test('a forged record is not proven even if the tiles are complete', async () => {
    await append(20);
    await signAll();
    const [record] = await log.read('tool-executed', 1, 3, 1);
    expect((await reader().prove({ ...(record as never as object), value: Buffer.from('forged') } as never)).kind).toBe('broken');
  });

  test('a checkpoint whose line was cut counts as missing, and its number is written again', async () => {
    await append(20);
    await signAll();
    const store = evidence().checkpoints;
    const newest = await store.newest();
    const next = { ...(newest?.record as never as object), number: (newest?.record.number as number) + 1, full: false, heads: [] } as never;
    expect(await store.append(next)).toBe('kept');
    expect(await store.append(next)).toBe('taken');
    await store.close();
    const { truncate, readdir, stat } = await import('node:fs/promises');
    const [name] = await readdir(path.join(dir, 'checkpoints'));
    const file = path.join(dir, 'checkpoints', name as string);
    await truncate(file, (await stat(file)).size - 5);
    expect((await evidence().checkpoints.newest())?.record.number).toBe(newest?.record.number);
    expect(await evidence().checkpoints.append(next)).toBe('kept');
    expect((await evidence().checkpoints.newest())?.record.number).toBe((newest?.record.number as number) + 1);
  });

  test('a start detects incomplete trees', async () => {
    await append(600);
    await signAll();
    await rm(path.join(dir, 'trees', 'tool-executed', '1'), { recursive: true });
    expect(await reader().faults()).toEqual([expect.stringContaining('tool-executed/1 up to 300')]);
    await rm(path.join(dir, 'trees', 'checkpoints'), { recursive: true });
    expect(await reader().faults()).toEqual([expect.stringContaining('checkpoints up to 1'), expect.stringContaining('tool-executed/1')]);
    const other = noteSigner('countersign.test/log', Buffer.alloc(32, 2)).verifier;
    expect(await new ProofReader(evidence().checkpoints, evidence().tiles, other).faults()).toEqual([expect.stringContaining('signed by')]);
  });

  test('nothing is signed if the start check finds damage, at once or later', async () => {
    const run = async () => undefined;
    const damaged = () => Promise.reject(new BrokenRecord('checkpoint 3 is another one'));
    await append(3);
    const compare = async () => true;
    await signAll(log, { run: damaged, compare, compareOlder: run });
    expect([broken, await reader().checkpoint()]).toEqual([['checkpoint 3 is another one'], undefined]);
    await signAll(log, { run, compare, compareOlder: damaged });
    expect(broken.at(-1)).toBe('checkpoint 3 is another one');
  });

  test('a lane that is discovered at run time is covered from then on', async () => {
    const lane = 'tool-executed.bulk';
    await log.ensureTopics([{ name: lane, partitions: 1 }]);
    const record = { partition: 0, key: null, value: Buffer.from('x'), headers: {} };
    await log.append([{ ...record, topic: lane }]);
    let known = topics;
    const learn = async () => {
      if (known !== topics) return false;
      known = [...topics, lane];
      return true;
    };
    const damage = { found: () => true, openings: [], holdsSigning: false };
    const signing = new LogSigning({ log, evidence: evidence(), now_ms: () => 1_790_000_000_000, logger: quiet, damage });
    const writer = new CheckpointWriter(log, { topics: async () => known, learn }, signing);
    await writer.start();
    await append(3);
    await log.append([{ ...record, topic: 'configuration-changed' }]);
    const size = async () => (await evidence().checkpoints.newest())?.heads.get(`${lane}/0`)?.size;
    for (const end = performance.now() + 30_000; performance.now() < end && (await size()) === undefined; ) await sleep(20);
    await writer.close();
    expect(await size()).toBe(1);
  });

  test('every checkpoint is a signed note of the log', async () => {
    await append(3);
    await signAll();
    const note = (await reader().checkpoint()) as string;
    expect(parseNote(note)?.text.split('\n')[0]).toBe('countersign.test/log');
  });
});
