import type { EventLog, RunningSubscription, Subscription } from '../event-log.js';
import { PrefixedEventLog } from '../prefixed/prefixed-event-log.js';

/** For specs: a log that delivers nothing to members of groups until it is released. Followers receive everything. */
export class HeldEventLog extends PrefixedEventLog {
  /** Batches that were ready for a handler and were held. */
  held = 0;
  letGo: () => void = () => undefined;
  private readonly closing = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  constructor(log: EventLog) {
    super(log, '');
  }

  override subscribe(subscription: Subscription): Promise<RunningSubscription> {
    return super.subscribe({
      ...subscription,
      onBatch: async (batch) => {
        this.held++;
        await this.closing;
        await subscription.onBatch(batch);
      },
    });
  }
}
