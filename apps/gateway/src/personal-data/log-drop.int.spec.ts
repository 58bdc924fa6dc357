import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Refusal } from '@countersign/calls';
import { EventCodec, type EventMap, firstMeta } from '@countersign/contracts';
import { initialConfiguration } from '@countersign/domain';
import { EmbeddedEventLog } from '@countersign/event-log';
import {
  CheckpointFolder,
  CosignedNotes,
  DroppedFolder,
  type FoundDamage,
  missingRecords,
  shortened,
  TextFile,
  TileFolder,
} from '@countersign/evidence';
import { StepSigner } from '@countersign/evidence/testing/step-signer';
import { COSIGNATURE_V1, cosign, noteSigner, parseNote, type Witness } from '@countersign/proofs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import { type DropOutcome, LogDrop } from './log-drop.js';

const RECORDS = 'tool-executed';
const SETTINGS = 'configuration-changed';
const BEGAN_MS = Date.parse('2026-01-01T00:00:00Z');
const NOW_MS = Date.parse('2026-11-01T00:00:00Z');
const BY = { kind: 'user' as const, id: 'ada', roles: [] };
const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const witness = noteSigner('witness.test', Buffer.alloc(32, 2), COSIGNATURE_V1);
const codec = new EventCodec();

let dir: string;
let log: EmbeddedEventLog;
let time_ms: number;
let found: FoundDamage[];
/** Whether a signer runs. */
let signs: boolean;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'log-drop-'));
  [time_ms, found, signs] = [BEGAN_MS, [], true];
  log = await EmbeddedEventLog.open({
    dir: path.join(dir, 'log'),
    segment_bytes: 4_000,
    chunk_bytes: 512,
    fsync: 'none',
    clock: () => time_ms,
  });
  await log.ensureTopics([RECORDS, SETTINGS].map((name) => ({ name, partitions: 1 })));
  await append(400);
  time_ms = NOW_MS;
  await append(5);
  await log.append([{ topic: SETTINGS, partition: 0, key: null, value: Buffer.from('x'), headers: { event_type: 'x' } }]);
  await sign();
});
afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

async function append(count: number): Promise<void> {
  const record = (n: number) => ({
    topic: RECORDS,
    partition: 0,
    key: null,
    value: Buffer.from(`value ${n}`),
    headers: { event_type: 'x' },
  });
  for (let n = 0; n < count; n += 5) await log.append(Array.from({ length: Math.min(5, count - n) }, (_, at) => record(n + at)));
}

function evidence(witnesses: readonly Witness[] = []) {
  const checkpoints = new CheckpointFolder(path.join(dir, 'checkpoints'));
  return {
    tiles: new TileFolder(path.join(dir, 'trees')),
    dropped: new DroppedFolder(path.join(dir, 'dropped')),
    checkpoints,
    signer,
    cosigned: new CosignedNotes(new TextFile(path.join(dir, 'cosigned.json')), checkpoints, signer.verifier, witnesses),
    checked: new TextFile(path.join(dir, 'checked.json')),
  };
}

const sign = async () => (await StepSigner.open({ log, ...evidence() }, [RECORDS, SETTINGS])).sign(time_ms);

async function set(_: string, type: 'log_dropped', fields: Omit<EventMap['log_dropped'], 'meta'>) {
  const value = codec.encode(type, { meta: firstMeta('default', time_ms), ...fields });
  const [offset] = await log.append([{ topic: SETTINGS, partition: 0, key: null, value, headers: { event_type: type } }]);
  if (signs) await sign();
  return { topic: SETTINGS, partition: 0, offset };
}

/** A drop some of whose dependencies fail. */
function dropWith(
  faults: { writer?: object; save?: () => Promise<void>; log?: EmbeddedEventLog; dropped?: DroppedFolder; witnesses?: Witness[] } = {},
) {
  const store = { query: async () => [{ at_ms: null }] };
  const deps = { log: faults.log ?? log, codec, store, key_snapshot: { save: faults.save ?? (async () => undefined) } };
  const own = { ...evidence(faults.witnesses), ...(faults.dropped ? { dropped: faults.dropped } : {}) };
  const configuration = { state: initialConfiguration(), clock: { now_ms: () => NOW_MS }, writer: faults.writer ?? { set } };
  return new LogDrop(deps as never, own, configuration as unknown as ConfigurationService, { found: (damage) => found.push(damage) > 0 });
}

async function run(drop = dropWith()): Promise<DropOutcome | Refusal> {
  const plan = await drop.plan(6);
  return plan instanceof Refusal ? plan : drop.drop('default', plan, BY);
}

const recorded = async () => (await log.read(SETTINGS, 0, 0, 100)).filter(({ headers }) => headers.event_type === 'log_dropped').length;

async function missing(): Promise<FoundDamage[]> {
  const { checkpoints } = evidence();
  const newest = await checkpoints.newest();
  return missingRecords(
    { log, codec, checkpoints, verifier: signer.verifier },
    newest,
    await shortened(log, newest?.heads.values() ?? []),
    'start',
  );
}

describe('dropping old records', () => {
  test('the drop is recorded and signed first; the remaining log continues, and lost tiles are rebuilt from stored hashes', async () => {
    expect(await run()).toMatchObject({ waits_for: null, dropped: { segments: expect.any(Number) } });
    expect(await log.first(RECORDS, 0)).toBeGreaterThan(300);
    expect([await recorded(), await missing()]).toEqual([1, []]);
    await rm(path.join(dir, 'trees'), { recursive: true });
    await append(10);
    expect(await sign()).toBe('kept');
    expect(await run()).toMatchObject({ waits_for: null, dropped: { segments: 0 } });
    expect(found).toEqual([]);
  });

  test('nothing is deleted without a signer; the next request deletes, without a second record', async () => {
    signs = false;
    expect(await run()).toEqual({ dropped: { segments: 0, bytes: 0 }, waits_for: 'checkpoint' });
    expect(await log.first(RECORDS, 0)).toBe(0);
    await sign();
    expect(await run()).toMatchObject({ waits_for: null });
    expect([(await log.first(RECORDS, 0)) > 300, await recorded()]).toEqual([true, 1]);
  }, 20_000);

  test('with witnesses, nothing is deleted before they have cosigned the record', async () => {
    const witnesses: Witness[] = [{ key: witness.verifier, checks: 'heads' }];
    const cosignNewest = async () => {
      const note = (await evidence().checkpoints.newest())?.record.note as string;
      const line = cosign(parseNote(note)?.text as string, 1_790_000_000, witness);
      expect(await evidence(witnesses).cosigned.add(note + line)).toEqual({ witnesses: ['witness.test'] });
    };
    expect(await run(dropWith({ witnesses }))).toBeInstanceOf(Refusal);
    await cosignNewest();
    for (let again = 0; again < 2; again++)
      expect(await run(dropWith({ witnesses }))).toEqual({ dropped: { segments: 0, bytes: 0 }, waits_for: 'cosignature' });
    expect(await log.first(RECORDS, 0)).toBe(0);
    await cosignNewest();
    expect(await run(dropWith({ witnesses }))).toMatchObject({ waits_for: null });
    expect(await log.first(RECORDS, 0)).toBeGreaterThan(300);
  });

  test('a forged cosignature, or a head that the checkpoint does not sign, permits no deletion', async () => {
    const witnesses: Witness[] = [{ key: witness.verifier, checks: 'heads' }];
    const note = (await evidence().checkpoints.newest())?.record.note as string;
    const text = parseNote(note)?.text as string;
    const another = noteSigner('witness.test', Buffer.alloc(32, 9), COSIGNATURE_V1);
    for (const [by, refused] of [
      [another, true],
      [witness, false],
    ] as const) {
      const complete = { number: 0, note: note + cosign(text, 1_790_000_000, by) };
      await writeFile(path.join(dir, 'cosigned.json'), JSON.stringify({ complete, pending: [] }));
      expect((await dropWith({ witnesses }).plan(6)) instanceof Refusal).toBe(refused);
    }
    const file = path.join(dir, 'checkpoints', '000000000000.ndjson');
    await writeFile(file, (await readFile(file, 'utf8')).replace(`"${RECORDS}",0,405`, `"${RECORDS}",0,404`));
    expect(await run()).toMatchObject({ kind: 'conflict', detail: expect.stringContaining('nothing was dropped') });
  });

  test('leaf hashes that were lost before the deletion are stored again first', async () => {
    signs = false;
    expect(await run()).toMatchObject({ waits_for: 'checkpoint' });
    await sign();
    await rm(path.join(dir, 'dropped'), { recursive: true });
    expect(await run()).toMatchObject({ waits_for: null, dropped: { segments: expect.any(Number) } });
    expect((await readFile(path.join(dir, 'dropped', RECORDS, '0.leaves'))).length).toBe(400 * 32);
  }, 20_000);

  const crash = () => Promise.reject(new Error('crash'));

  test.each([
    ['while leaf hashes are copied', () => ({ dropped: failing(new DroppedFolder(path.join(dir, 'dropped')), 'keep') })],
    ['before they are synced', () => ({ dropped: failing(new DroppedFolder(path.join(dir, 'dropped')), 'sync') })],
    ['before it is recorded', () => ({ writer: { set: crash } })],
    ['once it is recorded', () => ({ writer: { set: (...args: Parameters<typeof set>) => set(...args).then(crash) } })],
    ['once it is signed', () => ({ save: crash })],
    ['while records go', () => ({ log: failing(log, 'drop') })],
    ['once records are removed', () => ({ log: failing(log, 'drop', (terms) => log.drop(terms as never)) })],
  ])('a crash %s is no damage, and the next request does the rest', async (_, faults) => {
    await expect(run(dropWith(faults()))).rejects.toThrow('crash');
    expect(await missing()).toEqual([]);
    expect(await sign().then(() => undefined)).toBeUndefined();
    expect(await run()).toMatchObject({ waits_for: null });
    expect(await log.first(RECORDS, 0)).toBeGreaterThan(300);
    expect([await missing(), found, (await recorded()) <= 2]).toEqual([[], [], true]);
    await rm(path.join(dir, 'trees'), { recursive: true });
    await append(5);
    expect(await sign()).toBe('kept');
  });

  /** Wraps an object so that one method fails: after its first `work`, if given. */
  function failing<T extends object>(
    target: T,
    method: keyof T,
    first: (...args: unknown[]) => Promise<unknown> = async () => undefined,
  ): T {
    return new Proxy(target, {
      get: (object, name) => {
        if (name === method) return (...args: unknown[]) => first(...args).then(crash);
        const value = Reflect.get(object, name) as unknown;
        return typeof value === 'function' ? value.bind(object) : value;
      },
    });
  }

  test('tiles that differ from the signature: a conflict, and nothing is recorded or deleted', async () => {
    const folder = path.join(dir, 'trees', RECORDS, '0', '0');
    const file = path.join(folder, (await readdir(folder)).sort()[0] as string);
    const bytes = await readFile(file);
    await writeFile(file, Buffer.from(bytes).fill(bytes.readUInt8(70) ^ 1, 70, 71));
    const refused = (await run()) as Refusal;
    expect([refused.kind, refused.detail]).toEqual(['conflict', expect.stringContaining(`nothing was dropped: the tiles of ${RECORDS}/0`)]);
    expect([await log.first(RECORDS, 0), await recorded()]).toEqual([0, 0]);
    await writeFile(file, bytes);
    expect(await run()).toMatchObject({ waits_for: null });
    expect(await log.first(RECORDS, 0)).toBeGreaterThan(300);
  });

  test('missing records without a drop: a conflict, reported as damage, and nothing is deleted', async () => {
    await log.drop({ below: () => 100, carries: (topic) => topic === SETTINGS });
    const first = await log.first(RECORDS, 0);
    expect(first).toBeGreaterThan(0);
    const refused = (await run()) as Refusal;
    expect([refused.kind, refused.detail]).toEqual(['conflict', expect.stringContaining(`${RECORDS}/0 begins at offset ${first}`)]);
    expect(found).toEqual([expect.objectContaining({ kind: 'log', found_by: 'drop', first_offset: 0, last_offset: first - 1 })]);
    expect([await log.first(RECORDS, 0), await recorded()]).toEqual([first, 0]);
  });
});
