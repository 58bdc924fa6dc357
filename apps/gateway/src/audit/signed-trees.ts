import type { OpenDamage } from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import { type CheckpointStore, treesToOpen } from '@countersign/evidence';
import type { OpenedTree } from '@countersign/proofs';

/** The trees of the record as they were signed last. */
export class SignedTrees {
  constructor(
    private readonly log: Pick<EventLog, 'first'>,
    /** Absent where nothing is signed. */
    private readonly checkpoints?: Pick<CheckpointStore, 'newest'>,
  ) {}

  /** What may go on in the place of the trees that cannot be continued, as these damages say. */
  async toOpen(damages: readonly OpenDamage[]): Promise<OpenedTree[]> {
    const newest = await this.checkpoints?.newest();
    return treesToOpen(damages, newest?.heads.values() ?? [], (topic, partition) => this.log.first(topic, partition));
  }
}
