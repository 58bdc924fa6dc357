import { readdir, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { EventCodec, firstMeta } from '@countersign/contracts';
import type { EmbeddedEventLog } from '@countersign/event-log';
import {
  CheckpointFolder,
  CheckpointTopic,
  DroppedFolder,
  type FoundDamage,
  keepLeaves,
  LogFirstCheckpoints,
  missingRecords,
  RestoredCheckpoints,
  shortened,
  TextFile,
  TileFolder,
} from '@countersign/evidence';
import { StepSigner } from '@countersign/evidence/testing/step-signer';
import { type Evidence, recordScan } from '@countersign/process';
import { Erasures } from '@countersign/process/personal/erasures';
import { noteSigner } from '@countersign/proofs';
import { FileSubjectKeys } from '@countersign/store';
import type { Random } from './random.js';

export const RECORDS = 'tool-executed';
export const SETTINGS = 'configuration-changed';
const TIME_MS = 1_790_000_000_000;
const PAGE_RECORDS = 500;
const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const codec = new EventCodec();
const ada = { kind: 'user' as const, id: 'ada', roles: [] };

/** Honest events of an installation that its checks must not report. */
export type Mishap = 'crash' | 'rebuild' | 'drop' | 'erasure';

/** An installation that crashes, loses what can be derived, folds it again, drops old records, and erases subjects. */
export class HonestInstallation {
  /** What the checks reported. */
  readonly found: FoundDamage[] = [];
  readonly happened: Record<Mishap, number> = { crash: 0, rebuild: 0, drop: 0, erasure: 0 };
  private readonly damage = { found: (damage: FoundDamage) => this.found.push(damage) > 0 };
  private serial = 0;

  constructor(
    private readonly dir: string,
    private readonly log: EmbeddedEventLog,
    private readonly random: Random,
  ) {}

  private chance(percent: number): boolean {
    return this.random.below(100) < percent;
  }

  private file(...names: string[]): string {
    return path.join(this.dir, 'audit', ...names);
  }

  private evidence(fault?: 'log' | 'store') {
    const kept = new CheckpointFolder(this.file('checkpoints'));
    const topic = new CheckpointTopic(this.log, codec);
    const crash = () => Promise.reject(new Error('crash'));
    if (fault === 'log') topic.append = crash;
    if (fault === 'store') kept.append = crash;
    return {
      tiles: new TileFolder(this.file('trees')),
      dropped: new DroppedFolder(this.file('dropped')),
      checkpoints: new LogFirstCheckpoints(kept, topic),
      checked: new TextFile(this.file('checked.json')),
      signer,
    };
  }

  private async append(): Promise<void> {
    for (let n = this.random.below(8); n >= 0; n--) {
      const record = () => ({ topic: RECORDS, partition: 0, key: null, value: Buffer.from(`${this.serial++}`.padEnd(60)), headers: {} });
      await this.log.append(Array.from({ length: this.random.between(1, 40) }, record));
    }
  }

  private async record(event_type: 'log_dropped' | 'subject_erased', event: object): Promise<void> {
    const value = codec.encode(event_type, { meta: firstMeta('default', TIME_MS), by: ada, ...event } as never);
    await this.log.append([{ topic: SETTINGS, partition: 0, key: null, value, headers: { event_type } }]);
  }

  /** A start of the signer with its checks, and some checkpoints. @throws BrokenRecord if the log is reported as damaged */
  async start(fault?: 'log' | 'store'): Promise<void> {
    const own = this.evidence();
    await new RestoredCheckpoints(own.checkpoints, own.tiles, signer.verifier).restore();
    await this.compare();
    const signing = await StepSigner.open({ log: this.log, ...this.evidence(fault) }, [RECORDS, SETTINGS]);
    for (let n = this.random.between(1, 3); n > 0; n--) {
      await this.append();
      await signing.sign(TIME_MS).catch((cause: Error) => {
        if (cause.message !== 'crash') throw cause;
      });
      if (!fault) continue;
      this.happened.crash++;
      return;
    }
  }

  /** Compares all records with the newest checkpoint, and what is missing with the recorded drops. */
  private async compare(): Promise<void> {
    const evidence = this.evidence();
    const { checkpoints } = evidence;
    const newest = await checkpoints.newest();
    const short = await shortened(this.log, newest?.heads.values() ?? []);
    const sources = { log: this.log, codec, checkpoints, verifier: signer.verifier };
    this.found.push(...(await missingRecords(sources, newest, short, 'start')));
    const scan = recordScan(this.log, evidence as unknown as Evidence, this.damage, 'scrub');
    for (const span of await scan.signed())
      for (let at = await scan.first(span); at < span.end; ) at = (await scan.page(span, at, PAGE_RECORDS)).next;
  }

  /** Loses what is folded again from the log. */
  private async lose(...names: string[]): Promise<void> {
    for (const name of names) await rm(this.file(name), { recursive: true, force: true });
    await this.start();
    this.happened.rebuild++;
  }

  /** Simulates tiles that were not synced at a power loss. */
  private async tear(): Promise<void> {
    const trees = this.file('trees');
    for (const name of await readdir(trees, { recursive: true }).catch(() => [] as string[])) {
      const file = path.join(trees, name);
      const found = await stat(file);
      if (found.isFile() && this.chance(30)) await truncate(file, this.random.below(Math.max(1, found.size)));
    }
    this.happened.crash++;
  }

  /** A crash may follow each step of a drop. */
  private async drop(): Promise<void> {
    const { checkpoints, tiles, dropped } = this.evidence();
    const newest = await checkpoints.newest();
    const head = newest?.heads.get(`${RECORDS}/0`);
    if (!newest || !head) return;
    const first = await this.log.first(RECORDS, 0);
    const below = first + this.random.below(Math.max(1, head.size - first));
    const wrong = await keepLeaves(head, { first, below }, tiles, dropped);
    if (wrong !== undefined || this.chance(20)) return;
    const offsets = [{ topic: RECORDS, partition: 0, offset: below }];
    await this.record('log_dropped', { before_ms: TIME_MS, checkpoint: newest.record.note, dropped_at_ms: TIME_MS, below: offsets });
    if (this.chance(20)) return;
    await this.start();
    if (this.chance(20)) return;
    const deleted = await this.log.drop({ below: (topic) => (topic === RECORDS ? below : 0), carries: (topic) => topic !== RECORDS });
    if (deleted.segments > 0) this.happened.drop++;
  }

  /** A crash may follow each step of an erasure; the next start destroys what is left. */
  private async erase(): Promise<void> {
    const keys = await FileSubjectKeys.open(path.join(this.dir, 'subject-keys.bin'), Buffer.alloc(32, 7));
    const erasures = new Erasures({ log: this.log, codec }, keys, new TextFile(path.join(this.dir, 'destroyed-keys.json')));
    try {
      await erasures.start(this.damage);
      const place = { tenant_id: 'default', subject: `${this.serial++}`, markings: '', period: '2026-11' };
      const key_ids = (await keys.current([place], TIME_MS)).map(({ key_id }) => key_id);
      await this.record('subject_erased', { subject: place.subject, key_ids, reason: 'asked', erased_at_ms: TIME_MS });
      this.happened.erasure++;
      if (this.chance(30)) return;
      await keys.destroy(place.tenant_id, key_ids);
      if (!this.chance(30)) await erasures.destroyed((await this.log.head(SETTINGS, 0)) - 1);
    } finally {
      await erasures.close();
      await keys.close();
    }
  }

  async step(): Promise<void> {
    await this.random.pick([
      () => this.start(),
      () => this.start(this.random.pick(['log', 'store'])),
      () => this.lose('checkpoints', 'checked.json'),
      () => this.lose('trees'),
      () => this.tear(),
      () => this.drop(),
      () => this.drop(),
      () => this.erase(),
    ])();
  }
}
