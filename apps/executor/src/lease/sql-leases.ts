import { acquire, fenceOthers, heartbeat, release, type Store } from '@countersign/store';
import type { LeaseTable } from './lease.js';

/** Leases of one lane in SQL. */
export class SqlLeases implements LeaseTable {
  constructor(
    private readonly store: Store,
    private readonly lane: string,
    /** The highest epoch that the log knows, in case the database was lost. */
    private readonly epochAbove: () => number,
  ) {}

  async acquire(instance_id: string, lease_ms: number, exclusive: boolean): Promise<number> {
    const epoch = await acquire(this.store, { instance_id, lane: this.lane, lease_ms, epoch_above: this.epochAbove() });
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
