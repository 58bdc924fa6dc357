import {
  type Dropped,
  type DropTerms,
  EventLog,
  type Follower,
  type LogHealth,
  type LogRecord,
  type NewRecord,
  RecordsDropped,
  type RunningSubscription,
  type Subscription,
  type TopicSpec,
} from '../event-log.js';
import { retried, retryPlans } from '../retries.js';
import { AppendCall } from './append-call.js';
import { BrokerLink, readBytes } from './broker-link.js';
import { GroupSubscription } from './group-subscription.js';
import { faultOf } from './kafka-client.js';
import { KafkaFollower } from './kafka-follower.js';
import { type KafkaLogOptions, type KafkaSettings, kafkaSettings } from './kafka-options.js';
import { KafkaTopics } from './kafka-topics.js';
import { ProducerLane } from './producer-lane.js';

/** A subscription that reports whether it is stalled. */
type WatchedSubscription = RunningSubscription & { start(): Promise<void>; readonly stalled: boolean };

/**
 * The log on Apache Kafka. Both visibilities are durable here: a record is visible once all in-sync replicas have it. Order and
 * idempotence of writes: ProducerLane. Delivery: GroupMembership for assignments, BrokerLink and PartitionReader for records. Kafka's
 * transactions are not used.
 */
export class KafkaEventLog extends EventLog {
  private readonly lanes: readonly ProducerLane[];
  private readonly running = new Set<WatchedSubscription>();
  private links = 0;
  private closed = false;

  private constructor(
    private readonly settings: KafkaSettings,
    private readonly topics: KafkaTopics,
    private readonly reader: BrokerLink,
  ) {
    super();
    const oneBroker = () => this.reader.nodes().length === 1;
    const producers = settings.producers || (oneBroker() ? 1 : 2);
    this.lanes = Array.from({ length: producers }, (_, number) => new ProducerLane(settings, `producer-${number}`, oneBroker));
  }

  /** @throws InfrastructureFault if no broker responds. */
  static async open(options: KafkaLogOptions): Promise<KafkaEventLog> {
    const settings = kafkaSettings(options);
    const topics = new KafkaTopics(settings);
    const reader = new BrokerLink(settings, 'reader');
    try {
      await topics.load();
      await reader.want([]);
      await reader.recover(undefined); // loads the metadata, which has the number of brokers
    } catch (error) {
      await Promise.all([topics.close(), reader.close()]);
      throw faultOf(`can't open the log at ${options.brokers.join(', ')}`, error);
    }
    return new KafkaEventLog(settings, topics, reader);
  }

  /** `stalled` if a subscription makes no progress although there are records to read. */
  override get health(): LogHealth {
    if (this.closed) return 'closed';
    return [...this.running].some(({ stalled }) => stalled) ? 'stalled' : 'open';
  }

  override get is_shared(): boolean {
    return true;
  }

  ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    return this.topics.ensure(specs);
  }

  partitions(topic: string): number {
    return this.topics.partitions(topic);
  }

  append(records: readonly NewRecord[]): Promise<number[]> {
    if (this.closed) return Promise.reject(faultOf('append', 'the log is closed'));
    let call: AppendCall;
    try {
      call = new AppendCall(records, performance.now());
    } catch (error) {
      return Promise.reject(error);
    }
    for (const part of call.parts) this.lane(part.topic, part.partition).enqueue(part);
    return call.promise;
  }

  async subscribe(subscription: Subscription): Promise<RunningSubscription> {
    const committed = (group: string, topics: readonly string[]) => this.topics.committed(group, topics);
    return this.started(new GroupSubscription(this.settings, this.link(), subscription, committed));
  }

  async follow(follower: Follower): Promise<RunningSubscription> {
    return this.started(new KafkaFollower(this.settings, this.link(), follower));
  }

  /** A read that ends before `records_max` has reached the head. */
  async read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    let offset = from_offset;
    while (records.length < records_max) {
      const fetched = await this.readOnce(topic, partition, offset, readBytes(records_max - records.length));
      if (fetched === 'out_of_range') return this.beyond(topic, partition, offset, records);
      for (const record of fetched.records.slice(0, records_max - records.length)) records.push(record);
      offset = (fetched.records[fetched.records.length - 1]?.offset ?? fetched.head) + 1;
      if (offset >= fetched.head) break;
    }
    return records;
  }

  override first(topic: string, partition: number): Promise<number> {
    return this.topics.first(topic, partition);
  }

  override async drop(terms: DropTerms): Promise<Dropped> {
    return { segments: await this.topics.drop(terms), bytes: 0 };
  }

  async head(topic: string, partition: number): Promise<number> {
    const [head] = await this.retried(`can't read the head of ${topic}/${partition}`, () => this.reader.heads([{ topic, partition }]));
    return head ?? 0;
  }

  /** Uses Kafka's own time index: one request. */
  override since(topic: string, partition: number, time_ms: number): Promise<number> {
    return this.retried(`can't find an offset by time in ${topic}/${partition}`, () => this.reader.since({ topic, partition }, time_ms));
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.running].map((running) => running.close()));
    await Promise.all(this.lanes.map((lane) => lane.close()));
    await Promise.all([this.topics.close(), this.reader.close()]);
  }

  private lane(topic: string, partition: number): ProducerLane {
    let hash = partition;
    for (let index = 0; index < topic.length; index++) hash = (hash * 31 + topic.charCodeAt(index)) >>> 0;
    return this.lanes[hash % this.lanes.length]!;
  }

  private link(): BrokerLink {
    return new BrokerLink(this.settings, `link-${this.links++}`);
  }

  private async started<T extends WatchedSubscription>(running: T): Promise<T> {
    try {
      await retried(retryPlans.kafka_subscribe, () => running.start(), { isRetryable: isPassing });
    } catch (error) {
      await running.close();
      throw faultOf("can't subscribe", error);
    }
    this.running.add(running);
    return running;
  }

  /** Handles a read below the first remaining offset or beyond the head. */
  private async beyond(topic: string, partition: number, offset: number, records: LogRecord[]): Promise<LogRecord[]> {
    const first = await this.first(topic, partition);
    if (offset < first) throw new RecordsDropped(topic, partition, offset, first);
    return records;
  }

  private readOnce(topic: string, partition: number, offset: number, bytes_max: number) {
    return this.retried(`can't read ${topic}/${partition}`, async () => {
      await this.reader.want([topic]);
      const node = this.reader.leader(topic, partition);
      if (node === undefined) throw new Error(`${topic}/${partition} has no leader`);
      try {
        const [fetched] = await this.reader.fetch(node, [{ topic, partition, offset }], 0, bytes_max);
        return fetched ?? { records: [], head: offset };
      } catch (error) {
        if ((error as { name?: string }).name === 'KafkaJSOffsetOutOfRange') return 'out_of_range' as const;
        throw error;
      }
    });
  }

  private retried<T>(what: string, work: () => Promise<T>): Promise<T> {
    let fault: unknown;
    const once = async (attempt: number) => {
      try {
        if (attempt > 1) await this.reader.recover(fault);
        return await work();
      } catch (error) {
        fault = error;
        throw faultOf(what, error);
      }
    };
    return retried(retryPlans.kafka_read, once, { isRetryable: () => !this.closed });
  }
}

/** Transient errors: above all of a topic created a moment ago, which not every broker knows or leads yet. */
function isPassing(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return [error, cause].some((one) => {
    const { name, retriable } = (one ?? {}) as { name?: string; retriable?: boolean };
    return name === 'KafkaJSProtocolError' && retriable === true;
  });
}
