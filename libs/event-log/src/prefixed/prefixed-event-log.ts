import {
  type Dropped,
  type DropTerms,
  EventLog,
  type Follower,
  type LogBatch,
  type LogHealth,
  type LogRecord,
  type NewRecord,
  type RunningSubscription,
  type Subscription,
  type TopicOffset,
  type TopicSpec,
} from '../event-log.js';

/** A log on a shared cluster: every topic and group has a prefix on the cluster that users of this class do not see. */
export class PrefixedEventLog extends EventLog {
  constructor(
    private readonly inner: EventLog,
    private readonly prefix: string,
  ) {
    super();
  }

  override get health(): LogHealth {
    return this.inner.health;
  }

  override get is_shared(): boolean {
    return this.inner.is_shared;
  }

  ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    return this.inner.ensureTopics(specs.map((spec) => ({ ...spec, name: this.prefix + spec.name })));
  }

  partitions(topic: string): number {
    return this.inner.partitions(this.prefix + topic);
  }

  async append(records: readonly NewRecord[]): Promise<number[]> {
    const inner = records.map((record) => ({ ...record, topic: this.prefix + record.topic }));
    const offsets = await this.inner.append(inner);
    for (const [at, { appended_at_ms }] of inner.entries())
      if (appended_at_ms !== undefined) (records[at] as NewRecord).appended_at_ms = appended_at_ms;
    return offsets;
  }

  async subscribe(subscription: Subscription): Promise<RunningSubscription> {
    const { onAssigned, onRevoked, onBatch } = subscription;
    const running = await this.inner.subscribe({
      ...subscription,
      group: this.prefix + subscription.group,
      topics: subscription.topics.map((topic) => this.prefix + topic),
      ...this.patience(subscription),
      ...(onAssigned ? { onAssigned: async (partitions) => this.outward(await onAssigned.call(subscription, partitions)) } : {}),
      ...(onRevoked ? { onRevoked: (partitions) => onRevoked.call(subscription, partitions) } : {}),
      onBatch: (batch) => onBatch.call(subscription, this.inward(batch)),
    });
    return this.running(running);
  }

  async follow(follower: Follower): Promise<RunningSubscription> {
    const running = await this.inner.follow({
      ...follower,
      topics: follower.topics.map((topic) => this.prefix + topic),
      ...this.patience(follower),
      from: typeof follower.from === 'string' ? follower.from : this.outward(follower.from),
      onBatch: (batch) => follower.onBatch(this.inward(batch)),
    });
    return this.running(running);
  }

  async read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]> {
    const records = await this.inner.read(this.prefix + topic, partition, from_offset, records_max);
    return records.map((record) => ({ ...record, topic }));
  }

  override first(topic: string, partition: number): Promise<number> {
    return this.inner.first(this.prefix + topic, partition);
  }

  override drop(terms: DropTerms): Promise<Dropped> {
    const bare = (topic: string) => topic.slice(this.prefix.length);
    return this.inner.drop({
      below: (topic, partition) => (topic.startsWith(this.prefix) ? terms.below(bare(topic), partition) : 0),
      carries: (topic) => !topic.startsWith(this.prefix) || terms.carries(bare(topic)),
    });
  }

  head(topic: string, partition: number): Promise<number> {
    return this.inner.head(this.prefix + topic, partition);
  }

  override since(topic: string, partition: number, time_ms: number): Promise<number> {
    return this.inner.since(this.prefix + topic, partition, time_ms);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private patience({ delayed_topics }: Pick<Subscription, 'delayed_topics'>): Pick<Subscription, 'delayed_topics'> {
    return delayed_topics ? { delayed_topics: delayed_topics.map((topic) => this.prefix + topic) } : {};
  }

  private outward(offsets: readonly TopicOffset[]): TopicOffset[] {
    return offsets.map((offset) => ({ ...offset, topic: this.prefix + offset.topic }));
  }

  private inward(batch: LogBatch): LogBatch {
    const topic = batch.topic.slice(this.prefix.length);
    return { ...batch, topic, records: batch.records.map((record) => ({ ...record, topic })) };
  }

  private running(inner: RunningSubscription): RunningSubscription {
    return {
      commit: (offsets) => inner.commit(this.outward(offsets)),
      staleness_ms: (topic) => inner.staleness_ms(this.prefix + topic),
      caughtUp: () => inner.caughtUp(),
      close: () => inner.close(),
    };
  }
}
