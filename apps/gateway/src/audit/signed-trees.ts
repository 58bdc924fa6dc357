import type { OpenDamage } from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import { type CheckpointStore, treesToOpen } from '@countersign/evidence';
import type { OpenedTree } from '@countersign/proofs';

/** The last signed trees of the record. */
export class SignedTrees {
  constructor(
    private readonly log: Pick<EventLog, 'first'>,
    /** Absent if nothing is signed. */
    private readonly checkpoints?: Pick<CheckpointStore, 'newest'>,
  ) {}

  /** The trees that may replace those that these damages make impossible to continue. */
  async toOpen(damages: readonly OpenDamage[]): Promise<OpenedTree[]> {
    const newest = await this.checkpoints?.newest();
    return treesToOpen(damages, newest?.heads.values() ?? [], (topic, partition) => this.log.first(topic, partition));
  }
}
