import { acquire, fenceOthers, heartbeat, release, type Store } from '@countersign/store';
import type { RowRestorer } from '../partitions/row-restorer.js';
import type { LeaseTable } from './lease.js';

/** Leases of one lane in SQL. After the database was lost, the rows are restored from the log before an epoch is requested. */
export class SqlLeases implements LeaseTable {
  constructor(
    private readonly store: Store,
    private readonly lane: string,
    private readonly restorer: Pick<RowRestorer, 'ifEmpty' | 'epochMax'>,
  ) {}

  async acquire(instance_id: string, lease_ms: number, exclusive: boolean): Promise<number> {
    await this.restorer.ifEmpty(this.lane);
    const epoch = await acquire(this.store, { instance_id, lane: this.lane, lease_ms, epoch_above: this.restorer.epochMax });
    if (exclusive) await fenceOthers(this.store, this.lane, epoch);
    return epoch;
  }

  heartbeat(epoch: number, lease_ms: number): Promise<boolean> {
    return heartbeat(this.store, epoch, lease_ms);
  }

  release(epoch: number): Promise<void> {
    return release(this.store, epoch);
  }
}
