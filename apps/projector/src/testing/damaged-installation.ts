import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventCodec, firstMeta } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import {
  CHECKPOINT_TOPIC,
  CheckpointFolder,
  CheckpointTopic,
  CosignedNotes,
  DroppedFolder,
  EntriesReader,
  keepLeavesOf,
  LogFirstCheckpoints,
  ProofReader,
  RestoredCheckpoints,
  TextFile,
  TileFolder,
  treesToOpen,
} from '@countersign/evidence';
import { createLogger, DAMAGE_TOPIC, KnownDamage, systemClock } from '@countersign/process';
import { coveredEnd, headName, noteSigner, spansOf } from '@countersign/proofs';
import { CheckpointWriter } from '../audit/checkpoint-writer.js';
import { LogSigning } from '../audit/log-signing.js';
import { StartCheck } from '../audit/start-check.js';

export const RECORDS = 'tool-executed';
const SETTINGS = 'configuration-changed';
const STARTS = 'tool-registered';
const COVERED = [RECORDS, SETTINGS, DAMAGE_TOPIC, STARTS, 'security-event'];
const TIME_MS = 1_790_000_000_000;
export const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const codec = new EventCodec();
const logger = createLogger('projector', 'silent');

const openLog = async (dir: string) => {
  const log = await EmbeddedEventLog.open({ dir, segment_bytes: 8_000, chunk_bytes: 1_024, fsync: 'none', clock: () => TIME_MS });
  await log.ensureTopics([...COVERED, CHECKPOINT_TOPIC].map((name) => ({ name, partitions: 1 })));
  return log;
};

/** For specs: a log on disk that the real writer signs, and an operator who accepts damage. Each start opens it again. */
export class DamagedInstallation {
  private logs = 1;

  private constructor(
    private readonly dir: string,
    private log: EmbeddedEventLog,
    public logDir: string,
  ) {}

  static async open(dir: string): Promise<DamagedInstallation> {
    const logDir = path.join(dir, 'log');
    return new DamagedInstallation(dir, await openLog(logDir), logDir);
  }

  audit(...names: string[]): string {
    return path.join(this.dir, 'audit', ...names);
  }

  evidence() {
    const checkpoints = new LogFirstCheckpoints(new CheckpointFolder(this.audit('checkpoints')), new CheckpointTopic(this.log, codec));
    const tiles = new TileFolder(this.audit('trees'));
    return {
      tiles,
      dropped: new DroppedFolder(this.audit('dropped')),
      checkpoints,
      restored: new RestoredCheckpoints(checkpoints, tiles, signer.verifier),
      signer,
      cosigned: new CosignedNotes(new TextFile(this.audit('cosigned.json')), checkpoints, signer.verifier, []),
      checked: new TextFile(this.audit('checked.json')),
    };
  }

  async append(count: number, text = 'value'): Promise<void> {
    const record = (n: number) => ({ topic: RECORDS, partition: 0, key: null, value: Buffer.from(`${text} ${n}`), headers: {} });
    for (let n = 0; n < count; n++) await this.log.append([record(n)]);
  }

  /** Changes the disk while the process is stopped. */
  async whileStopped(work: () => Promise<void>): Promise<void> {
    await this.log.close();
    await work();
    this.log = await openLog(this.logDir);
  }

  /** Appends changed settings: further records of the topic that contains the decisions. */
  async configure(count: number): Promise<void> {
    for (let n = 0; n < count; n++)
      await this.log.append([{ topic: SETTINGS, partition: 0, key: null, value: Buffer.from(`${n}`), headers: {} }]);
  }

  /** Cuts the end of the journal: only this many records and settings are left. */
  async cut(kept: number, settings = 100_000): Promise<void> {
    const before = this.log;
    this.logDir = path.join(this.dir, `log-${++this.logs}`);
    this.log = await openLog(this.logDir);
    for (const topic of [...COVERED, CHECKPOINT_TOPIC]) {
      const records = await before.read(topic, 0, 0, topic === RECORDS ? kept : topic === SETTINGS ? settings : 100_000);
      for (const { key, value, headers } of records) await this.log.append([{ topic, partition: 0, key, value, headers }]);
    }
    await before.close();
  }

  /** Restores the whole journal from a backup. */
  async restore(dir: string): Promise<void> {
    await this.log.close();
    this.logDir = dir;
    this.log = await openLog(dir);
  }

  private async damage(): Promise<KnownDamage> {
    const damage = new KnownDamage({ log: this.log, codec, clock: systemClock, logger });
    await damage.start();
    return damage;
  }

  /** Starts the process, waits until everything is signed or damage is found, and stops it. Returns the open damage. */
  async start(): Promise<string[]> {
    const damage = await this.damage();
    const evidence = this.evidence();
    const start = new StartCheck({ log: this.log, codec, logger }, evidence, damage);
    const signing = new LogSigning({ log: this.log, evidence, start, now_ms: () => TIME_MS, logger, damage });
    const writer = new CheckpointWriter(this.log, { topics: async () => COVERED, learn: async () => false }, signing);
    // A new record, so that there is a checkpoint to wait for.
    await this.log.append([{ topic: STARTS, partition: 0, key: null, value: Buffer.from('started'), headers: {} }]);
    await writer.start();
    const isSettled = async () => (damage.open.length > 0 ? damage.open.length === damage.state.open.size : this.isSigned());
    for (const end = performance.now() + 30_000; performance.now() < end && !(await isSettled()); ) await sleep(20);
    await writer.close();
    await damage.close();
    return damage.open.map(({ found_by, reason }) => `${found_by}: ${reason}`);
  }

  private async isSigned(): Promise<boolean> {
    const heads = [...((await this.evidence().checkpoints.newest())?.heads.values() ?? [])];
    for (const topic of [RECORDS, STARTS]) if (coveredEnd(heads, { topic, partition: 0 }) !== (await this.log.head(topic, 0))) return false;
    return true;
  }

  /** Accepts all open damage, as the log's operator does. */
  async accept(reason = 'no backup'): Promise<void> {
    const damage = await this.damage();
    const open = [...damage.state.open.values()];
    const newest = await this.evidence().checkpoints.newest();
    const opened = await treesToOpen(open, newest?.heads.values() ?? [], (topic, partition) => this.log.first(topic, partition));
    const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
    const damage_ids = open.map(({ damage_id }) => damage_id);
    const decision = { meta: firstMeta('default', TIME_MS), damage_ids, reason, by, accepted_at_ms: TIME_MS, opened };
    const value = codec.encode('damage_accepted', decision);
    await this.log.append([{ topic: SETTINGS, partition: 0, key: null, value, headers: { event_type: 'damage_accepted' } }]);
    await damage.close();
  }

  /** Deletes records below an offset, in whole files, once their leaf hashes are stored and a signed `log_dropped` names them. */
  async drop(below: number): Promise<string | undefined> {
    const { checkpoints, tiles, dropped } = this.evidence();
    const newest = await checkpoints.newest();
    const first = await this.log.first(RECORDS, 0);
    const wrong = await keepLeavesOf(newest?.heads.values() ?? [], { topic: RECORDS, partition: 0, first, below }, tiles, dropped);
    const by = { kind: 'user' as const, id: 'ada', roles: [] };
    const value = codec.encode('log_dropped', {
      ...{ meta: firstMeta('default', TIME_MS), before_ms: TIME_MS, checkpoint: newest?.record.note ?? '', by, dropped_at_ms: TIME_MS },
      below: [{ topic: RECORDS, partition: 0, offset: below }],
    });
    await this.log.append([{ topic: SETTINGS, partition: 0, key: null, value, headers: { event_type: 'log_dropped' } }]);
    await this.start();
    await this.log.drop({ below: (topic) => (topic === RECORDS ? below : 0), carries: (topic) => topic !== RECORDS });
    return wrong;
  }

  get first(): Promise<number> {
    return this.log.first(RECORDS, 0);
  }

  proofs(): ProofReader {
    const { checkpoints, tiles } = this.evidence();
    return new ProofReader(checkpoints, tiles, signer.verifier);
  }

  entries(): EntriesReader {
    const { checkpoints, tiles } = this.evidence();
    return new EntriesReader(checkpoints, tiles, signer.verifier);
  }

  /** For each record of the log the tree that proves it, or the error message. */
  async provenBy(): Promise<string[]> {
    const records = await this.log.read(RECORDS, 0, await this.first, 10_000);
    const reports: string[] = [];
    for (const record of records) {
      const answer = await this.proofs().prove(record);
      const tree = answer.kind === 'proof' ? headName({ topic: RECORDS, partition: 0, ...answer.proof.tree }) : answer.kind;
      reports.push(tree);
    }
    return reports;
  }

  /** The trees of a topic in the newest checkpoint: name, covered offsets, and size. */
  async trees(topic = RECORDS): Promise<string[]> {
    const newest = await this.evidence().checkpoints.newest();
    return spansOf(newest?.heads.values() ?? [])
      .filter(({ head }) => head.topic === topic)
      .map(({ head, first, end, isFrozen }) => `${headName(head)} ${first}-${end} of ${head.size}${isFrozen ? ' frozen' : ''}`);
  }

  async sizeNow(): Promise<number> {
    return ((await this.evidence().checkpoints.newest())?.record.number ?? -1) + 1;
  }

  async remove(): Promise<void> {
    await this.log.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
