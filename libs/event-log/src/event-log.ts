/** A record to append. `partition` is always explicit: it was computed once, at admission. */
export interface NewRecord {
  topic: string;
  partition: number;
  key: string | null;
  value: Buffer;
  /** Internal topics carry `event_type` and `traceparent` only (headers are dear: 15 of them cost kafkajs 60 % of its rate). */
  headers: Record<string, string>;
}

export interface LogRecord extends NewRecord {
  offset: number;
  /** Wall clock of the log at append, epoch ms: the time that approvals and expiries go by. */
  timestamp_ms: number;
  /** What the first reader of this process decoded it to (transport/batch-decoder.ts). The others share it: an event is never changed. */
  decoded?: unknown;
}

/** Records of one partition of one topic, in offset order, without gaps of our own making. Never empty. */
export interface LogBatch {
  topic: string;
  partition: number;
  records: readonly LogRecord[];
  /** Offset after the newest record of the partition when the batch was read: head - last offset - 1 is the lag. */
  head: number;
}

export interface TopicSpec {
  name: string;
  partitions: number;
}

/** The next offset to read of one partition of one topic. */
export interface TopicOffset {
  topic: string;
  partition: number;
  offset: number;
}

/** When a reader sees a record: once it is durable, or (`appended`, embedded only) as soon as it is in the journal.
 *  Whatever follows from a record stands behind it in the one journal, so a reader of `appended` may decide on it; it
 *  must not act on the outside or answer anybody before a later append of its own has become durable. Kafka treats both as durable. */
export type Visibility = 'durable' | 'appended';

export interface Subscription {
  /** Members of a group share the partitions; partition n of every topic of a group goes to one member. */
  group: string;
  topics: readonly string[];
  visibility: Visibility;
  batch_records_max: number;
  /** How much later its records may come where they then come in larger batches: for a reader that no caller waits for.
   *  Default: at once. Kafka pauses this long after a fetch that brought some. */
  max_delay_ms?: number;
  /** The topics whose records may wait so; all of the topics where none are named. */
  delayed_topics?: readonly string[];
  /** Called with newly assigned partition numbers before their first batch. May return offsets to start from, which
   *  then win over committed ones. A partition without either starts at 0. A throw is retried. */
  onAssigned?(partitions: readonly number[]): Promise<readonly TopicOffset[]>;
  /** Called when partitions went to another member, after which no batch of them arrives. Running work is the owner's own. */
  onRevoked?(partitions: readonly number[]): Promise<void>;
  /** At most one call at a time per topic and partition; may take arbitrarily long (membership is kept alive meanwhile).
   *  The next batch comes when it resolves. A throw means the same batch again after a pause, for ever. Nothing is
   *  committed by resolving: see `commit`. */
  onBatch(batch: LogBatch): Promise<void>;
}

export interface RunningSubscription {
  /** Record that everything below these offsets is done. Lazy: may be lost by a crash (then records come again). */
  commit(offsets: readonly TopicOffset[]): void;
  /** Milliseconds (monotonic) since this reader last knew that it had everything of the topic; 0 embedded, Infinity before the first time. */
  staleness_ms(topic: string): number;
  /** Resolves when every batch below the heads as of now was handled. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

export interface Follower {
  topics: readonly string[];
  visibility: Visibility;
  batch_records_max: number;
  /** See Subscription. */
  max_delay_ms?: number;
  /** See Subscription. */
  delayed_topics?: readonly string[];
  /** Where to start each partition: 'start', 'head', or the given offsets (others from the start). */
  from: 'start' | 'head' | readonly TopicOffset[];
  onBatch(batch: LogBatch): Promise<void>;
}

/** What may be dropped: per partition, what is below an offset; some topics not at all. */
export interface DropTerms {
  below(topic: string, partition: number): number;
  /** The topic is kept whole, whatever becomes of the files that it is in. */
  carries(topic: string): boolean;
}

export interface Dropped {
  /** Files, or partitions, that were made shorter. */
  segments: number;
  /** 0 where the adapter cannot tell. */
  bytes: number;
}

/** A record that was there and was dropped behind a checkpoint: `first` is the first one that is left. */
export class RecordsDropped extends Error {
  constructor(
    topic: string,
    partition: number,
    offset: number,
    readonly first: number,
  ) {
    super(`${topic}/${partition} offset ${offset} was dropped by retention; the first available offset is ${first}`);
  }
}

/** A record that was acknowledged and that the disk does not give back: a checksum is wrong, or part of a file is missing. */
export class RecordsUnreadable extends Error {
  constructor(
    readonly topic: string,
    readonly partition: number,
    /** The first one that can't be read. */
    readonly offset: number,
    cause: Error,
  ) {
    super(`${topic}/${partition} offset ${offset} cannot be read: ${cause.message}`, { cause });
  }
}

/** `full`: the disk has no room, appends are refused until there is; `failed`: until the process is started again;
 *  `stalled`: a subscription has records to read and makes no progress (Kafka only: it was rebuilt and has not moved since). */
export type LogHealth = 'open' | 'full' | 'failed' | 'stalled' | 'closed';

/**
 * The log: topics of numbered partitions, records by offset from 0, each durable before it is acknowledged.
 *
 * Must hold for every adapter (suite.ts): offsets of a partition ascend in the order of acknowledgement within one
 * writer; an acknowledged record is never lost, never reordered, never changed; delivery to subscriptions is at least
 * once. Must not be assumed: exactly-once delivery, order across partitions or topics, a conditional append.
 * An abstract class so that Nest can inject it by its own name.
 */
export abstract class EventLog {
  /** Creates what is missing, with unlimited retention; existing topics keep their partition count. */
  abstract ensureTopics(specs: readonly TopicSpec[]): Promise<void>;
  /** Partition count of an existing topic. */
  abstract partitions(topic: string): number;
  /**
   * Appends and resolves with the offsets once all records are durable. Records of one call to append for one
   * partition become visible together and in order. Calls made while a write is running share the next one.
   * @throws InfrastructureFault where the log is unavailable, full or failed: the records may or may not be written.
   */
  abstract append(records: readonly NewRecord[]): Promise<number[]>;
  abstract subscribe(subscription: Subscription): Promise<RunningSubscription>;
  /** Every partition of the topics, without a group: for state that each process folds for itself. */
  abstract follow(follower: Follower): Promise<RunningSubscription>;
  /** Up to `records_max` durable records from an offset on; empty at the head. On Kafka a random read costs milliseconds. */
  abstract read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]>;
  /** The first offset that is left; 0 where nothing was dropped. Reading below it throws RecordsDropped; followers and subscriptions begin there. */
  async first(_topic: string, _partition: number): Promise<number> {
    return 0;
  }
  /** Drops what is old, as far as the terms and those who read just now allow; what is left keeps its offsets. */
  async drop(_terms: DropTerms): Promise<Dropped> {
    return { segments: 0, bytes: 0 };
  }
  /** The offset that the next durable record will get. */
  abstract head(topic: string, partition: number): Promise<number>;
  /**
   * The first offset whose record was appended at this time (epoch ms) or later; the head where there is none. Append
   * times of a partition ascend, or nearly so: where the log's clock once went back, the answer may be off by as much.
   */
  async since(topic: string, partition: number, time_ms: number): Promise<number> {
    let low = await this.first(topic, partition);
    for (let high = await this.head(topic, partition); low < high; ) {
      const middle = Math.floor((low + high) / 2);
      const [record] = await this.read(topic, partition, middle, 1);
      if (record && record.timestamp_ms < time_ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /** Whether appends are taken and subscriptions move, as far as this process knows without asking. */
  get health(): LogHealth {
    return 'open';
  }
  abstract close(): Promise<void>;
}
