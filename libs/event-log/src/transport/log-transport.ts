import { type CallTopic, callTopics, type EventCodec, laneTopic, parseTopic } from '@countersign/contracts';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { EventLog, LogBatch, RunningSubscription, TopicOffset, Visibility } from '../event-log.js';
import { BatchDecoder, type SchemaSource } from './batch-decoder.js';
import { DeadLetters, type PoisonRecord } from './dead-letters.js';
import type { EventBatch, Recorded } from './event-batch.js';
import { FaultPolicy, type FaultSink } from './fault-policy.js';
import { LOG_TRANSPORT, LogContext } from './log-context.js';

/** The service that owns the assigned partitions. */
export interface PartitionOwner {
  /** See Subscription.onAssigned; topics in the result are names on the log. */
  assigned(lane: string, partitions: readonly number[]): Promise<readonly TopicOffset[]>;
  /** See Subscription.onRevoked. */
  revoked(lane: string, partitions: readonly number[]): Promise<void>;
}

export interface LogTransportOptions {
  log: EventLog;
  codec: EventCodec;
  /** Consumer group; each lane has its own group (`<group>.<lane>`). */
  group: string;
  lanes: readonly string[];
  visibility: Visibility;
  batch_records_max: number;
  /** See Subscription. */
  max_delay_ms?: number;
  /** See Subscription; names of topics without lanes. */
  delayed_topics?: readonly string[];
  now_ms: () => number;
  faults: FaultSink;
  /** Source of schemas of other versions (the registry); absent embedded. */
  schemas?: SchemaSource;
  /** Absent if the service keeps no state by partition. */
  owner?: PartitionOwner;
  /** Writes the terminal event for the call of a record that cannot be handled. The record itself is already in dead-letter. */
  poison(record: PoisonRecord, cause: unknown): Promise<void>;
}

/**
 * Nest transport over the EventLog port: passes batches of decoded events of one partition to `@OnTopic` handlers. An infrastructure
 * fault pauses the partition and is retried for ever. A record fault is located by bisecting the batch, the record goes to `dead-letter`,
 * and its call gets a terminal event. Nothing is committed silently.
 */
export class LogTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = LOG_TRANSPORT;
  override readonly propagatesEventHandlerErrors = true;
  private readonly running = new Map<string, RunningSubscription>();
  private readonly decoder: BatchDecoder;
  private readonly faults: FaultPolicy;

  constructor(private readonly options: LogTransportOptions) {
    super();
    this.decoder = new BatchDecoder(options.codec, options.schemas);
    this.faults = new FaultPolicy(
      new DeadLetters(options.log, options.codec, options.group, options.now_ms),
      options.poison,
      options.faults,
    );
  }

  listen(done: (error?: unknown) => void): void {
    this.start().then(() => done(), done);
  }

  private async start(): Promise<void> {
    const topics = [...this.messageHandlers.keys()];
    const ofCalls = topics.filter((topic) => (callTopics as readonly string[]).includes(topic)) as CallTopic[];
    const others = topics.filter((topic) => !(callTopics as readonly string[]).includes(topic));
    await Promise.all([
      ...(ofCalls.length > 0
        ? this.options.lanes.map((lane) =>
            this.subscribe(
              lane,
              ofCalls.map((topic) => laneTopic(topic, lane)),
            ),
          )
        : []),
      ...(others.length > 0 ? [this.subscribe('global', others)] : []),
    ]);
  }

  private async subscribe(lane: string, topics: readonly string[]): Promise<void> {
    const { log, group, visibility, batch_records_max, max_delay_ms, delayed_topics, owner } = this.options;
    const subscription = await log.subscribe({
      group: `${group}.${lane}`,
      topics,
      visibility,
      batch_records_max,
      ...(max_delay_ms === undefined ? {} : { max_delay_ms }),
      ...(delayed_topics ? { delayed_topics: topics.filter((topic) => delayed_topics.includes(parseTopic(topic).topic)) } : {}),
      ...(owner
        ? { onAssigned: (partitions) => owner.assigned(lane, partitions), onRevoked: (partitions) => owner.revoked(lane, partitions) }
        : {}),
      onBatch: (batch) =>
        this.take(batch, (offset) => this.running.get(lane)?.commit([{ topic: batch.topic, partition: batch.partition, offset }])),
    });
    this.running.set(lane, subscription);
  }

  private async take(batch: LogBatch, commit: (offset: number) => void): Promise<void> {
    const { topic, lane } = parseTopic(batch.topic);
    const handler = this.messageHandlers.get(topic) as MessageHandler;
    const { events, undecodable } = await this.faults.persist(batch.topic, () => this.decoder.decode(batch.records));
    for (const { record, cause } of undecodable) await this.faults.setAside(record, undefined, cause);
    const run = (part: readonly Recorded[]) =>
      this.dispatch(
        handler,
        { topic, lane, partition: batch.partition, events: part, head: batch.head },
        new LogContext(batch.topic, batch.partition, commit),
      );
    if (events.length > 0) await this.faults.deliver(events, batch.records, run);
    if (handler.extras?.commit !== 'manual' || events.length === 0) commit((batch.records.at(-1) as { offset: number }).offset + 1);
  }

  private async dispatch(handler: MessageHandler, batch: EventBatch, ctx: LogContext): Promise<void> {
    await this.runWithProcessingHooks(ctx, async (end) => {
      const result = await handler(batch, ctx);
      if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
      end();
    });
    ctx.rethrow();
  }

  /** The subscription of a lane, for its commits, staleness and backlog. */
  subscription(lane: string): RunningSubscription | undefined {
    return this.running.get(lane);
  }

  /** Resolves when everything that was on the log at the time of the call has been handled. */
  async caughtUp(): Promise<void> {
    await Promise.all([...this.running.values()].map((subscription) => subscription.caughtUp()));
  }

  async close(): Promise<void> {
    this.faults.stop();
    await Promise.all([...this.running.values()].map((subscription) => subscription.close()));
    this.running.clear();
  }

  on(): never {
    throw new Error('the log transport emits no events: use @OnTopic');
  }

  unwrap<T>(): T {
    return this.options.log as T;
  }
}
