import {
  BrokenRecord,
  CHECKPOINT_TOPIC,
  type DamageReport,
  type DropSources,
  type FoundDamage,
  hasLeaves,
  keepLeaves,
  missingRecords,
  type NewestCheckpoint,
  shortened,
  treeName,
} from '@countersign/evidence';
import { type AppDeps, anchorOf, type Evidence, recordScan } from '@countersign/process';
import { parseNote } from '@countersign/proofs';
import { scanAtStart } from './start-sample.js';

const placeOf = ({ topic = '', partition = 0, first_offset = 0, last_offset = 0 }: FoundDamage) => ({
  topic,
  partition,
  first_offset,
  last_offset,
});

/**
 * What a signer looks at before it signs: checkpoints and their topic are brought together, what witnesses cosigned must be
 * there, and records that are missing at the start of a partition must have been dropped.
 */
export class StartCheck {
  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'logger'>,
    private readonly evidence: Evidence,
    private readonly damage: DamageReport,
  ) {}

  /** @throws BrokenRecord where what is kept is not what was signed */
  async run(): Promise<void> {
    await this.restore();
    await this.checkCosigned();
    await this.checkMissing();
    await this.checkRecords();
  }

  /** Compares what a start leaves for later. @throws BrokenRecord */
  async compareOlder(isClosed: () => boolean): Promise<void> {
    await this.evidence.restored?.compareOlder(isClosed);
  }

  private async restore(): Promise<void> {
    const found = await this.evidence.restored?.restore();
    if (!found) return;
    const { restored, copied, topic_was_empty } = found;
    const { logger } = this.deps;
    if (restored > 0)
      logger.warn(
        { event: 'checkpoints_restored', restored },
        `checkpoints were missing in the store: they are restored from ${CHECKPOINT_TOPIC}`,
      );
    if (copied > 0 && topic_was_empty)
      logger.info({ event: 'checkpoints_copied', copied }, `checkpoints are written to ${CHECKPOINT_TOPIC}`);
    else if (copied > 0)
      logger.warn(
        { event: 'checkpoints_copied', copied },
        `checkpoints were missing on ${CHECKPOINT_TOPIC}: they are written there again from the store`,
      );
  }

  /** What witnesses have cosigned existed: it may not be gone, nor be another. */
  private async checkCosigned(): Promise<void> {
    const { cosigned, checkpoints } = this.evidence;
    const newest = await cosigned.newest();
    if (!newest) return;
    const kept = await checkpoints.at(newest.number);
    if (!kept) throw new BrokenRecord(`checkpoint ${newest.number + 1} was cosigned and is not kept any more: checkpoints were cut`);
    if (parseNote(kept.record.note)?.text !== parseNote(newest.note)?.text)
      throw new BrokenRecord(`checkpoint ${newest.number + 1} is not the one that was cosigned`);
  }

  private async checkMissing(): Promise<void> {
    const { log, codec, schemas } = this.deps;
    const { checkpoints, signer } = this.evidence;
    const newest = await checkpoints.newest();
    if (!newest) return;
    const short = await shortened(log, [...newest.heads.values(), { topic: CHECKPOINT_TOPIC, partition: 0 }]);
    if (short.size === 0) return;
    const sources: DropSources = { log, codec, schemas, checkpoints, verifier: signer.verifier };
    const missing = await missingRecords(sources, await this.judge(newest), short, 'start');
    for (const damage of missing) this.damage.found(damage);
    if (missing[0]) throw new BrokenRecord(missing[0].reason, placeOf(missing[0]));
    await this.keepMissing(newest, short);
  }

  /** Compares the newest records and some others with what was signed. */
  private async checkRecords(): Promise<void> {
    const { log, logger } = this.deps;
    const { isDamaged, ...sample } = await scanAtStart(log, recordScan(log, this.evidence, this.damage, 'start'));
    logger.debug({ event: 'records_compared', ...sample }, 'records were compared with the newest checkpoint');
    if (isDamaged) throw new BrokenRecord('records are not what the newest checkpoint signs: see damage_found');
  }

  /** Cosignatures are no part of the log: with the database they may be lost. Then the newest checkpoint has to do. */
  private async judge(newest: NewestCheckpoint): Promise<NewestCheckpoint> {
    const anchor = await anchorOf(this.evidence);
    if (!anchor)
      this.deps.logger.warn(
        { event: 'cosignatures_missing' },
        'no cosigned checkpoint is kept: drops of records are judged by the newest signed one',
      );
    return anchor ?? newest;
  }

  /** Drops of earlier releases left the leaf hashes in the tiles alone. */
  private async keepMissing(newest: NewestCheckpoint, short: ReadonlyMap<string, { topic: string; partition: number; first: number }>) {
    const { dropped, tiles } = this.evidence;
    for (const head of newest.heads.values()) {
      const first = short.get(treeName(head.topic, head.partition))?.first;
      if (first === undefined || !dropped || (await hasLeaves(dropped, treeName(head.topic, head.partition), first))) continue;
      const wrong = await keepLeaves(head, { first: 0, below: first }, tiles, dropped);
      if (wrong !== undefined)
        this.deps.logger.warn({ event: 'dropped_leaves_missing', wrong }, 'leaf hashes of dropped records are not kept');
    }
  }
}
