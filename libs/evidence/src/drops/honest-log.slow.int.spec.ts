import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EventCodec, firstMeta } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { noteSigner } from '@countersign/proofs';
import { expect, test } from 'vitest';
import { CheckpointFolder } from '../checkpoints/checkpoint-folder.js';
import { CHECKPOINT_TOPIC, CheckpointTopic } from '../checkpoints/checkpoint-topic.js';
import { TextFile } from '../checkpoints/kept-text.js';
import { LogFirstCheckpoints } from '../checkpoints/log-first-checkpoints.js';
import { RestoredCheckpoints } from '../checkpoints/restored-checkpoints.js';
import { StepSigner } from '../testing/step-signer.js';
import { TileFolder } from '../trees/tile-folder.js';
import { DroppedFolder } from './dropped-leaves.js';
import { keepLeaves } from './keep-leaves.js';
import { missingRecords, shortened } from './missing-records.js';

const RECORDS = 'tool-executed';
const SETTINGS = 'configuration-changed';
const SEEDS = 10;
const STEPS = 25;
const TIME_MS = 1_790_000_000_000;
const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const codec = new EventCodec();

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An installation that crashes, loses unsynced data, and drops old records. */
class Installation {
  dropped = 0;

  constructor(
    private readonly dir: string,
    private readonly log: EmbeddedEventLog,
    private readonly next: () => number,
  ) {}

  private below(count: number): number {
    return Math.floor(this.next() * count);
  }

  private evidence(fault?: 'log' | 'store') {
    const kept = new CheckpointFolder(path.join(this.dir, 'audit', 'checkpoints'));
    const topic = new CheckpointTopic(this.log, codec);
    const crash = () => Promise.reject(new Error('crash'));
    if (fault === 'log') topic.append = crash;
    if (fault === 'store') kept.append = crash;
    return {
      tiles: new TileFolder(path.join(this.dir, 'audit', 'trees')),
      dropped: new DroppedFolder(path.join(this.dir, 'audit', 'dropped')),
      checkpoints: new LogFirstCheckpoints(kept, topic),
      checked: new TextFile(path.join(this.dir, 'audit', 'checked.json')),
      signer,
    };
  }

  async append(): Promise<void> {
    for (let n = this.below(8); n >= 0; n--)
      await this.log.append(
        Array.from({ length: 1 + this.below(40) }, () => ({
          topic: RECORDS,
          partition: 0,
          key: null,
          value: Buffer.from(`${this.next()}`.padEnd(60)),
          headers: {},
        })),
      );
  }

  /** @throws BrokenRecord if the log is reported as damaged */
  async start(fault?: 'log' | 'store'): Promise<void> {
    const own = this.evidence();
    await new RestoredCheckpoints(own.checkpoints, own.tiles, signer.verifier).restore();
    expect(await this.missing()).toEqual([]);
    const signing = await StepSigner.open({ log: this.log, ...this.evidence(fault) }, [RECORDS, SETTINGS]);
    for (let n = 1 + this.below(3); n > 0; n--) {
      await this.append();
      await signing.sign(TIME_MS).catch((cause: Error) => {
        if (cause.message !== 'crash') throw cause;
      });
      if (fault) return;
    }
  }

  async missing() {
    const { checkpoints } = this.evidence();
    const newest = await checkpoints.newest();
    const short = await shortened(this.log, newest?.heads.values() ?? []);
    return missingRecords({ log: this.log, codec, checkpoints, verifier: signer.verifier }, newest, short, 'start');
  }

  async lose(...names: string[]): Promise<void> {
    for (const name of names) await rm(path.join(this.dir, 'audit', name), { recursive: true, force: true });
  }

  /** Simulates tiles that were not synced at a power loss. */
  async tear(): Promise<void> {
    const trees = path.join(this.dir, 'audit', 'trees');
    for (const name of await readdir(trees, { recursive: true }).catch(() => [] as string[])) {
      const file = path.join(trees, name);
      const found = await stat(file);
      if (found.isFile() && this.next() < 0.3) await truncate(file, this.below(found.size));
    }
  }

  /** A crash may follow each step of a drop. */
  async drop(): Promise<void> {
    const { checkpoints, tiles, dropped } = this.evidence();
    const newest = await checkpoints.newest();
    const head = newest?.heads.get(`${RECORDS}/0`);
    if (!newest || !head) return;
    const first = await this.log.first(RECORDS, 0);
    const below = first + this.below(head.size - first);
    const wrong = await keepLeaves(head, { first, below }, tiles, dropped);
    if (wrong !== undefined || this.next() < 0.2) return;
    const event = {
      meta: firstMeta('default', TIME_MS),
      before_ms: TIME_MS,
      checkpoint: newest.record.note,
      by: { kind: 'user' as const, id: 'ada', roles: [] },
      dropped_at_ms: TIME_MS,
      below: [{ topic: RECORDS, partition: 0, offset: below }],
    };
    const value = codec.encode('log_dropped', event);
    await this.log.append([{ topic: SETTINGS, partition: 0, key: null, value, headers: { event_type: 'log_dropped' } }]);
    if (this.next() < 0.2) return;
    await this.start();
    if (this.next() < 0.2) return;
    const deleted = await this.log.drop({ below: (topic) => (topic === RECORDS ? below : 0), carries: (topic) => topic !== RECORDS });
    this.dropped += deleted.segments;
  }

  async step(): Promise<void> {
    const chance = this.next();
    if (chance < 0.3) await this.start();
    else if (chance < 0.4) await this.start('log');
    else if (chance < 0.5) await this.start('store');
    else if (chance < 0.6) await this.lose('checkpoints', 'checked.json');
    else if (chance < 0.7) await this.lose('trees');
    else if (chance < 0.8) await this.tear();
    else await this.drop();
  }
}

test('an intact log is never reported as damaged: crashes, lost stores, torn and lost tiles, drops', async () => {
  let dropped = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const dir = await mkdtemp(path.join(tmpdir(), 'honest-'));
    const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), segment_bytes: 8_000, chunk_bytes: 1024, fsync: 'none' });
    await log.ensureTopics([RECORDS, SETTINGS, CHECKPOINT_TOPIC].map((name) => ({ name, partitions: 1 })));
    const installation = new Installation(dir, log, numbers(seed));
    try {
      for (let step = 0; step < STEPS; step++) await installation.step();
      await installation.start();
    } catch (cause) {
      throw new Error(`seed ${seed}`, { cause });
    } finally {
      await log.close();
      await rm(dir, { recursive: true, force: true });
    }
    dropped += installation.dropped;
  }
  expect(dropped).toBeGreaterThan(SEEDS);
}, 240_000);
