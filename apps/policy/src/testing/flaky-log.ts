import { InfrastructureFault } from '@countersign/contracts';
import {
  EventLog,
  type Follower,
  type LogRecord,
  type NewRecord,
  type RunningSubscription,
  type Subscription,
  type TopicSpec,
} from '@countersign/event-log';

/** For specs: a log whose appends fail on request, with or without writing the records. */
export class FlakyLog extends EventLog {
  /** The outcomes of the next appends. */
  readonly fates: ('taken' | 'not_taken')[] = [];
  /** Records that are silently dropped, as by a crash between two topics. */
  drops: (record: NewRecord) => boolean = () => false;

  constructor(private readonly inner: EventLog) {
    super();
  }

  async append(records: readonly NewRecord[]): Promise<number[]> {
    const fate = this.fates.shift();
    if (fate === 'not_taken') throw new InfrastructureFault('the disk is full');
    const kept = records.filter((record) => !this.drops(record));
    const offsets = await this.inner.append(kept);
    if (fate === 'taken') throw new InfrastructureFault('the answer was lost');
    return records.map((record) => offsets[kept.indexOf(record)] ?? 0);
  }

  ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    return this.inner.ensureTopics(specs);
  }
  partitions(topic: string): number {
    return this.inner.partitions(topic);
  }
  subscribe(subscription: Subscription): Promise<RunningSubscription> {
    return this.inner.subscribe(subscription);
  }
  follow(follower: Follower): Promise<RunningSubscription> {
    return this.inner.follow(follower);
  }
  read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]> {
    return this.inner.read(topic, partition, from_offset, records_max);
  }
  head(topic: string, partition: number): Promise<number> {
    return this.inner.head(topic, partition);
  }
  close(): Promise<void> {
    return this.inner.close();
  }
}
