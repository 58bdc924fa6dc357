import { randomUUID } from 'node:crypto';
import type { EventLog, LogBatch, NewRecord, RunningSubscription, Subscription, TopicOffset } from './event-log.js';

/** One adapter under test, with its own data. */
export interface EventLogFixture {
  /** Opens a connection to the data; the suite closes every connection. */
  open(): Promise<EventLog>;
  /** Ends a connection as the death of its process would, if the adapter supports it. */
  crash?(log: EventLog): Promise<void>;
  /** Removes the data. */
  end(): Promise<void>;
  /** True if only one connection can be open at a time: then two writers are two callers of one. */
  single_writer: boolean;
  /** Time without progress after which the adapter considers a subscription stuck; 0: not applicable. */
  stall_ms: number;
  /** True if offsets have no gaps. */
  gapless: boolean;
}

/** A topic name that no other test uses. */
export function topicName(word: string): string {
  return `${word}-${randomUUID().slice(0, 8)}`;
}

export function record(topic: string, value: string | Buffer, partition = 0): NewRecord {
  return { topic, partition, key: `key-${partition}`, value: Buffer.from(value), headers: { event_type: 'suite' } };
}

/** `count` records named `<word>-<n>`. */
export function records(topic: string, count: number, word = 'r', partition = 0): NewRecord[] {
  return Array.from({ length: count }, (_, at) => record(topic, `${word}-${at}`, partition));
}

export async function eventually(what: string, holds: () => boolean | Promise<boolean>, timeout_ms = 30_000): Promise<void> {
  for (const end = performance.now() + timeout_ms; performance.now() < end; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not within ${timeout_ms} ms: ${what}`);
}

/** Records what a subscription or follower received. */
export class Collector {
  readonly batches: LogBatch[] = [];
  running: RunningSubscription | undefined;
  private readonly held = new Set<number>();
  /** Called with each batch after it was recorded. */
  react: (batch: LogBatch) => Promise<void> = async () => undefined;
  /** Start offsets of newly assigned partitions. */
  starts: readonly TopicOffset[] = [];

  get values(): string[] {
    return this.batches.flatMap(({ records }) => records.map(({ value }) => value.toString()));
  }

  /** The current partitions. */
  get partitions(): number[] {
    return [...this.held].sort((a, b) => a - b);
  }

  readonly onBatch = async (batch: LogBatch): Promise<void> => {
    this.batches.push(batch);
    await this.react(batch);
  };

  async subscribe(log: EventLog, group: string, topics: readonly string[], more: Partial<Subscription> = {}): Promise<this> {
    this.running = await log.subscribe({
      group,
      topics,
      visibility: 'durable',
      batch_records_max: 100,
      onBatch: this.onBatch,
      onAssigned: async (partitions) => {
        for (const partition of partitions) this.held.add(partition);
        return this.starts;
      },
      onRevoked: async (partitions) => {
        for (const partition of partitions) this.held.delete(partition);
      },
      ...more,
    });
    return this;
  }

  /** Commits everything that it received. */
  commitAll(): void {
    for (const { topic, partition, records } of this.batches) {
      this.running!.commit([{ topic, partition, offset: records[records.length - 1]!.offset + 1 }]);
    }
  }
}
