import type {
  Dropped,
  DropTerms,
  Follower,
  LogHealth,
  LogRecord,
  NewRecord,
  RunningSubscription,
  Subscription,
  TopicSpec,
} from '@countersign/event-log';
import { EventLog, RecordsUnreadable } from '@countersign/event-log/event-log';
import type { DamageFinder, DamageReport } from '../damage/found-damage.js';
import type { ReadCheck } from './read-check.js';
import { unreadableRecords } from './wrong-records.js';

/** A log whose reads and subscriptions are compared with what was signed. Records are delivered in any case. */
export class CheckedEventLog extends EventLog {
  constructor(
    private readonly inner: EventLog,
    private readonly check: ReadCheck,
    private readonly damage: DamageReport,
    private readonly found_by: DamageFinder,
  ) {
    super();
  }

  override get health(): LogHealth {
    return this.inner.health;
  }

  ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    return this.inner.ensureTopics(specs);
  }

  partitions(topic: string): number {
    return this.inner.partitions(topic);
  }

  append(records: readonly NewRecord[]): Promise<number[]> {
    return this.inner.append(records);
  }

  subscribe(subscription: Subscription): Promise<RunningSubscription> {
    return this.inner.subscribe({
      ...subscription,
      onBatch: async (batch) => {
        await this.check.seen(batch.records);
        await subscription.onBatch(batch);
      },
    });
  }

  follow(follower: Follower): Promise<RunningSubscription> {
    return this.inner.follow({
      ...follower,
      onBatch: async (batch) => {
        await this.check.seen(batch.records);
        await follower.onBatch(batch);
      },
    });
  }

  async read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]> {
    try {
      const records = await this.inner.read(topic, partition, from_offset, records_max);
      await this.check.seen(records);
      return records;
    } catch (cause) {
      if (cause instanceof RecordsUnreadable) {
        const range = { first: cause.offset, last: cause.offset };
        this.damage.found(unreadableRecords({ topic, partition }, range, this.found_by));
      }
      throw cause;
    }
  }

  override first(topic: string, partition: number): Promise<number> {
    return this.inner.first(topic, partition);
  }

  override drop(terms: DropTerms): Promise<Dropped> {
    return this.inner.drop(terms);
  }

  head(topic: string, partition: number): Promise<number> {
    return this.inner.head(topic, partition);
  }

  override since(topic: string, partition: number, time_ms: number): Promise<number> {
    return this.inner.since(topic, partition, time_ms);
  }

  /** Does not close the underlying log: its owner does. */
  close(): Promise<void> {
    return this.check.close();
  }
}
