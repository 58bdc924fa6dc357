import type { Lease } from '../lease/lease.js';
import type { Pipeline } from '../pipeline/pipeline.js';
import type { Dispatcher } from '../scheduling/dispatcher.js';

/** Assigns free slots to waiting calls while the lease is held. */
export class Slots {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly pipeline: Pipeline,
    private readonly lease: Lease,
    private readonly waiting_max: number,
  ) {}

  give(): void {
    if (this.lease.check()) for (const job of this.dispatcher.slots()) this.pipeline.handle(job, 'slot_given');
    this.dispatcher.wake();
  }

  /** Resolves when at most `waiting_max` calls wait. */
  waitForCapacity(): Promise<void> {
    return this.dispatcher.waitForCapacity(this.waiting_max);
  }
}
