import {
  BrokenRecord,
  CHECKPOINT_TOPIC,
  casesStart,
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
import { cutOfLeaf } from './cases/covered-entry.js';
import { scanAtStart } from './start-sample.js';

/**
 * Checks before signing: reconciles the stored checkpoints with their topic, requires cosigned checkpoints to be present, and requires
 * records that are missing at the start of a partition to have been deleted by retention.
 */
export class StartCheck {
  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'logger'>,
    private readonly evidence: Evidence,
    private readonly damage: DamageReport,
  ) {}

  /** Reconciles the stored checkpoints. @throws BrokenRecord if they differ from what was signed */
  async run(): Promise<void> {
    await this.restore();
    await this.checkCosigned();
  }

  /**
   * Compares the log with what was signed. False if it has damage that no operator has accepted; the damage is reported.
   * `opens_cases`: the tree of cases is about to begin again, whatever its newest leaf says.
   * @throws BrokenRecord if cases have leaves for a checkpoint that does not exist
   */
  async compare(opens_cases = false): Promise<boolean> {
    if (!(await this.hasBeginning()) || !(await this.hasRecords())) return false;
    if (!opens_cases) await this.checkCases();
    return true;
  }

  /** Runs the comparisons that a start defers. @throws BrokenRecord */
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

  /** A checkpoint that was once cosigned must be present and unchanged. */
  private async checkCosigned(): Promise<void> {
    const { cosigned, checkpoints } = this.evidence;
    const newest = await cosigned.newest();
    if (!newest) return;
    const kept = await checkpoints.at(newest.number);
    if (!kept) throw new BrokenRecord(`checkpoint ${newest.number + 1} was cosigned but is missing: checkpoints were truncated`);
    if (parseNote(kept.record.note)?.text !== parseNote(newest.note)?.text)
      throw new BrokenRecord(`checkpoint ${newest.number + 1} differs from the one that was cosigned`);
  }

  /** The newest leaf of a case is of a stored checkpoint. */
  private async checkCases(): Promise<void> {
    const { cases, checkpoints } = this.evidence;
    const { offset, generation } = await casesStart(checkpoints, await checkpoints.newest());
    const last = ((await cases?.head()) ?? 0) - 1;
    if (!cases || last < offset) return;
    const [leaf] = await cases.read(last, 1, generation);
    if (leaf) await cutOfLeaf(checkpoints, leaf, generation);
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

  /** Compares the newest records and a random sample with what was signed. */
  private async hasRecords(): Promise<boolean> {
    const { log, logger } = this.deps;
    const { isDamaged, ...sample } = await scanAtStart(log, recordScan(log, this.evidence, this.damage, 'start'));
    logger.debug({ event: 'records_compared', ...sample }, 'compared records with the newest checkpoint');
    return !isDamaged;
  }

  /** Cosignatures are not on the log and may be lost with the database: then the newest checkpoint is used. */
  private async judge(newest: NewestCheckpoint): Promise<NewestCheckpoint> {
    const anchor = await anchorOf(this.evidence);
    if (!anchor)
      this.deps.logger.warn(
        { event: 'cosignatures_missing' },
        'no cosigned checkpoint exists: dropped records are checked against the newest signed checkpoint',
      );
    return anchor ?? newest;
  }

  /** Stores leaf hashes for drops of earlier releases, which left them only in the tiles. */
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
