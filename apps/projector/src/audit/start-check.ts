import {
  BrokenRecord,
  CHECKPOINT_TOPIC,
  type DamageReport,
  type DropSources,
  hasLeaves,
  keepLeaves,
  missingRecords,
  type NewestCheckpoint,
  shortened,
  treeName,
} from '@countersign/evidence';
import { type AppDeps, anchorOf, type Evidence, recordScan } from '@countersign/process';
import { headName, parseNote, spansOf } from '@countersign/proofs';
import { scanAtStart } from './start-sample.js';

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

  /** Brings what is kept together. @throws BrokenRecord where what is kept is not what was signed */
  async run(): Promise<void> {
    await this.restore();
    await this.checkCosigned();
  }

  /** Compares the log with what was signed. False: it has a damage that no operator accepted; the damage is reported. */
  async compare(): Promise<boolean> {
    return (await this.hasBeginning()) && (await this.hasRecords());
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
        `checkpoints were missing in the store; restored them from ${CHECKPOINT_TOPIC}`,
      );
    if (copied > 0 && topic_was_empty)
      logger.info({ event: 'checkpoints_copied', copied }, `copied the checkpoints to ${CHECKPOINT_TOPIC}`);
    else if (copied > 0)
      logger.warn(
        { event: 'checkpoints_copied', copied },
        `checkpoints were missing on ${CHECKPOINT_TOPIC}; copied them there from the store`,
      );
  }

  /** A cosigned checkpoint existed: it must be present and unchanged. */
  private async checkCosigned(): Promise<void> {
    const { cosigned, checkpoints } = this.evidence;
    const newest = await cosigned.newest();
    if (!newest) return;
    const kept = await checkpoints.at(newest.number);
    if (!kept) throw new BrokenRecord(`checkpoint ${newest.number + 1} was cosigned but is missing: checkpoints were truncated`);
    if (parseNote(kept.record.note)?.text !== parseNote(newest.note)?.text)
      throw new BrokenRecord(`checkpoint ${newest.number + 1} differs from the one that was cosigned`);
  }

  private async hasBeginning(): Promise<boolean> {
    const { log, codec, schemas } = this.deps;
    const { checkpoints, signer } = this.evidence;
    const newest = await checkpoints.newest();
    if (!newest) return true;
    const short = await shortened(log, [...newest.heads.values(), { topic: CHECKPOINT_TOPIC, partition: 0 }]);
    if (short.size === 0) return true;
    const sources: DropSources = { log, codec, schemas, checkpoints, verifier: signer.verifier };
    const missing = await missingRecords(sources, await this.judge(newest), short, 'start');
    if (missing.map((damage) => this.damage.found(damage)).includes(true)) return false;
    await this.keepMissing(newest, short);
    return true;
  }

  /** Compares the newest records and some others with what was signed. */
  private async hasRecords(): Promise<boolean> {
    const { log, logger } = this.deps;
    const { isDamaged, ...sample } = await scanAtStart(log, recordScan(log, this.evidence, this.damage, 'start'));
    logger.debug({ event: 'records_compared', ...sample }, 'compared records with the newest checkpoint');
    return !isDamaged;
  }

  /** Cosignatures are no part of the log: with the database they may be lost. Then the newest checkpoint has to do. */
  private async judge(newest: NewestCheckpoint): Promise<NewestCheckpoint> {
    const anchor = await anchorOf(this.evidence);
    if (!anchor)
      this.deps.logger.warn(
        { event: 'cosignatures_missing' },
        'no cosigned checkpoint exists: dropped records are checked against the newest signed checkpoint',
      );
    return anchor ?? newest;
  }

  /** Drops of earlier releases left the leaf hashes in the tiles alone. */
  private async keepMissing(newest: NewestCheckpoint, short: ReadonlyMap<string, { topic: string; partition: number; first: number }>) {
    const { dropped, tiles } = this.evidence;
    for (const { head, first, end } of spansOf(newest.heads.values())) {
      const missing_leaves = Math.min(end, short.get(treeName(head.topic, head.partition))?.first ?? 0) - first;
      if (missing_leaves <= 0 || !dropped || (await hasLeaves(dropped, headName(head), missing_leaves))) continue;
      const wrong = await keepLeaves(head, { first: 0, below: missing_leaves }, tiles, dropped);
      if (wrong !== undefined)
        this.deps.logger.warn({ event: 'dropped_leaves_missing', wrong }, 'the leaf hashes of dropped records are missing');
    }
  }
}
