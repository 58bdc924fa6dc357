import type { OwnedPartitions } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import type { RulingPartition } from './ruling-partition.js';
import { type SnapshotRows, saveSnapshot } from './snapshots.js';

/** Saves partitions that handled records since their last snapshot. A failure only lengthens the next start. */
export class SnapshotSaver {
  private readonly saved = new WeakMap<RulingPartition, number>();

  constructor(
    private readonly owned: OwnedPartitions<RulingPartition>,
    private readonly rows: SnapshotRows,
    private readonly logger: Logger,
  ) {}

  async save(): Promise<void> {
    for (const partition of this.owned.all()) {
      const { handled } = partition;
      if ((this.saved.get(partition) ?? 0) === handled) continue;
      this.saved.set(partition, handled);
      await saveSnapshot(this.rows, partition).catch((cause: unknown) => {
        this.logger.warn({ event: 'policy_snapshot_not_saved', cause: String(cause) }, 'cannot save a policy snapshot');
      });
    }
  }
}
