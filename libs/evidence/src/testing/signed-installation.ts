import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { EventLog } from '@countersign/event-log';
import { EmbeddedEventLog } from '@countersign/event-log/embedded/embedded-event-log';
import { noteSigner } from '@countersign/proofs';
import { CheckpointFolder } from '../checkpoints/checkpoint-folder.js';
import { TextFile } from '../checkpoints/kept-text.js';
import type { DamageFinder, FoundDamage } from '../damage/found-damage.js';
import { DroppedFolder } from '../drops/dropped-leaves.js';
import { CheckedEventLog } from '../signed/checked-event-log.js';
import { ReadCheck } from '../signed/read-check.js';
import { RecordJudge } from '../signed/record-judge.js';
import { SignedHeads } from '../signed/signed-heads.js';
import { TileFolder } from '../trees/tile-folder.js';
import { StepSigner } from './step-signer.js';

const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));

/** Records of one append: they are in the same block of the journal. */
const AT_ONCE = 20;

const openLog = (dir: string) =>
  EmbeddedEventLog.open({ dir: path.join(dir, 'log'), segment_bytes: 16_000, chunk_bytes: 4_096, fsync: 'none' });

/** For specs: a log on disk with its evidence, and the damage that checks found. */
export class SignedInstallation {
  readonly found: FoundDamage[] = [];
  readonly damage = { found: (damage: FoundDamage) => this.found.push(damage) > 0 };
  private time_ms = 1_790_000_000_000;

  private constructor(
    readonly dir: string,
    private opened: EmbeddedEventLog,
    readonly topic: string,
  ) {}

  /** Opens the data in the folder, with a topic of two partitions. */
  static async open(dir: string, topic = 'tool-executed'): Promise<SignedInstallation> {
    const log = await openLog(dir);
    await log.ensureTopics([{ name: topic, partitions: 2 }]);
    return new SignedInstallation(dir, log, topic);
  }

  get log(): EmbeddedEventLog {
    return this.opened;
  }

  /** Changes the disk while the process is stopped. */
  async whileStopped(work: () => Promise<void>): Promise<void> {
    await this.opened.close();
    await work();
    this.opened = await openLog(this.dir);
  }

  get logDir(): string {
    return path.join(this.dir, 'log');
  }

  readonly verifier = signer.verifier;

  /** Opens the evidence anew, as at a process start. */
  evidence() {
    return {
      tiles: new TileFolder(path.join(this.dir, 'trees')),
      dropped: new DroppedFolder(path.join(this.dir, 'dropped')),
      checkpoints: new CheckpointFolder(path.join(this.dir, 'checkpoints')),
      checked: new TextFile(path.join(this.dir, 'checked.json')),
      signer,
    };
  }

  judge(log: EventLog = this.log): RecordJudge {
    const { tiles, checkpoints, dropped } = this.evidence();
    return new RecordJudge({ log, tiles, dropped }, new SignedHeads(checkpoints, tiles, signer.verifier));
  }

  check(found_by: DamageFinder): ReadCheck {
    const fail = (cause: Error) => {
      throw cause;
    };
    return new ReadCheck(this.judge(), this.damage, found_by, fail);
  }

  checkedLog(check: ReadCheck, found_by: DamageFinder): CheckedEventLog {
    return new CheckedEventLog(this.log, check, this.damage, found_by);
  }

  async append(count: number, partition = 0): Promise<void> {
    const record = (n: number) => ({
      topic: this.topic,
      partition,
      key: `k${n}`,
      value: Buffer.from(`value ${n}`.padEnd(40)),
      headers: {},
    });
    for (let n = 0; n < count; n += AT_ONCE)
      await this.log.append(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, at) => record(n + at)));
  }

  async sign(): Promise<void> {
    const signing = await StepSigner.open({ log: this.log, ...this.evidence() }, [this.topic]);
    await signing.sign(this.time_ms++);
  }

  async close(): Promise<void> {
    await this.log.close();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
