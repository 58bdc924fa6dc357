import { setImmediate as turn } from 'node:timers/promises';
import type { EventCodec, EventType } from '@countersign/contracts';
import type { EventLog, RunningSubscription } from '../event-log.js';
import { BatchDecoder, type SchemaSource } from './batch-decoder.js';
import type { Recorded } from './event-batch.js';

/** How long events are folded before other work of the thread gets its turn. Embedded, five services fold them in one thread. */
const AT_ONCE_MS = 1;

export interface FoldedTopicsOptions<S> {
  log: EventLog;
  codec: EventCodec;
  topics: readonly string[];
  /** Only these event types are decoded and folded; all of them if omitted. */
  only?: ReadonlySet<EventType>;
  initial: S;
  /** May change `state` in place and return it. Undecodable records are skipped: their consumer group sets them aside. */
  evolve(state: S, event: Recorded): S;
  /** Awaited before an event is folded, once everything recorded before the start is folded. */
  before?(state: S, event: Recorded): Promise<void> | undefined;
  /** Awaited by `start` when all existing records are folded. */
  ready?(state: S): Promise<void>;
  schemas?: SchemaSource;
}

interface Waiter {
  topic: string;
  partition: number;
  offset: number;
  done(): void;
}

/**
 * State that a process folds for itself from whole topics (configuration, the tool catalog): complete when `start` resolves, and updated
 * continuously from then on.
 */
export class FoldedTopics<S> {
  private current: S;
  private running: RunningSubscription | undefined;
  private live = false;
  private readonly next = new Map<string, number>();
  private waiters: Waiter[] = [];
  private watchers: (() => void)[] = [];

  constructor(private readonly options: FoldedTopicsOptions<S>) {
    this.current = options.initial;
  }

  get state(): S {
    return this.current;
  }

  /** Resolves when all records that are on the topics now are folded. */
  async start(): Promise<void> {
    const decoder = new BatchDecoder(this.options.codec, this.options.schemas);
    this.running = await this.options.log.follow({
      topics: this.options.topics,
      visibility: 'durable',
      batch_records_max: 500,
      from: 'start',
      onBatch: async (batch) => {
        const { only } = this.options;
        const wanted = only ? batch.records.filter(({ headers }) => only.has(headers.event_type as EventType)) : batch.records;
        const { events } = await decoder.decode(wanted);
        let since_ms = performance.now();
        for (const event of events) {
          // Contracts of many tools take a millisecond each.
          if (this.live && performance.now() - since_ms > AT_ONCE_MS) {
            await turn();
            since_ms = performance.now();
          }
          const preparation = this.live ? this.options.before?.(this.current, event) : undefined;
          if (preparation) await preparation;
          this.current = this.options.evolve(this.current, event);
        }
        this.next.set(`${batch.topic}/${batch.partition}`, (batch.records.at(-1) as { offset: number }).offset + 1);
        this.wake();
      },
    });
    await this.running.caughtUp();
    this.live = true;
    await this.options.ready?.(this.current);
  }

  /** The next offset to fold. */
  position(topic: string, partition = 0): number {
    return this.next.get(`${topic}/${partition}`) ?? 0;
  }

  /** See RunningSubscription.staleness_ms. */
  staleness_ms(topic: string): number {
    return this.running?.staleness_ms(topic) ?? Number.POSITIVE_INFINITY;
  }

  /** Resolves when the record at this offset has been folded. */
  folded(topic: string, offset: number, partition = 0): Promise<void> {
    if (this.position(topic, partition) > offset) return Promise.resolve();
    return new Promise((done) => this.waiters.push({ topic, partition, offset, done }));
  }

  /** Resolves when the next batch of any of the topics has been folded. */
  advanced(): Promise<void> {
    return new Promise((done) => this.watchers.push(done));
  }

  async close(): Promise<void> {
    await this.running?.close();
  }

  private wake(): void {
    for (const done of this.watchers.splice(0)) done();
    if (this.waiters.length === 0) return;
    const due = this.waiters.filter((waiter) => this.position(waiter.topic, waiter.partition) > waiter.offset);
    this.waiters = this.waiters.filter((waiter) => !due.includes(waiter));
    for (const waiter of due) waiter.done();
  }
}
