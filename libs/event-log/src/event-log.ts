/** A record to append. `partition` is always explicit: it is computed once, at admission. */
export interface NewRecord {
  topic: string;
  partition: number;
  key: string | null;
  value: Buffer;
  /** Internal topics carry only `event_type` and `traceparent` (headers are expensive: 15 of them cost kafkajs 60 % of its rate). */
  headers: Record<string, string>;
  /** Set by `append` once the record is durable: `timestamp_ms` of the record on the log. Absent if the log did not tell it. */
  appended_at_ms?: number;
  /** Set by an `append` of a log in this process: the record on the log, which its readers share. */
  appended?: LogRecord;
}

export interface LogRecord extends NewRecord {
  offset: number;
  /** Wall clock of the log at append, epoch ms: approvals and expiries use this time. */
  timestamp_ms: number;
  /**
   * The event that the first reader in this process decoded (transport/batch-decoder.ts). Other readers share it, so an event must not be
   * changed.
   */
  decoded?: unknown;
  /** The hash of its leaf, once a reader in this process asked for it (kept-leaf.ts). */
  leaf?: KeptLeaf | undefined;
}

/** The hash of the leaf of `record`. A changed copy of the record has this field too, and another hash. */
export interface KeptLeaf {
  record: LogRecord;
  /** Must not be changed. */
  hash: Buffer;
}

/** Records of one partition of one topic, in offset order and without gaps added by the reader. Never empty. */
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
  /** Set for a topic that clients outside of the platform write to or read. Only for logs with `is_shared`. */
  outside?: OutsideTopic;
}

/** What limits a topic of clients outside of the platform. The platform's own topics keep their records. */
export interface OutsideTopic {
  /** Records expire: the platform cannot erase personal data in them. */
  retention_ms: number;
  /** Largest batch of records, uncompressed. The broker stores no compressed ones: a small one may be as large as memory once unpacked. */
  batch_bytes_max: number;
}

/** The next offset to read of one partition of one topic. */
export interface TopicOffset {
  topic: string;
  partition: number;
  offset: number;
}

/**
 * When a reader sees a record: once it is durable, or (`appended`, embedded only) as soon as it is in the journal. Records that follow
 * from a record are later in the one journal, so a reader of `appended` may decide on it. It must not cause external effects or respond
 * before a later append of its own is durable. Kafka treats both as durable.
 */
export type Visibility = 'durable' | 'appended';

export interface Subscription {
  /** Members of a group share the partitions; partition n of every topic of a group belongs to one member. */
  group: string;
  topics: readonly string[];
  visibility: Visibility;
  batch_records_max: number;
  /**
   * How much later records may arrive if they then arrive in larger batches: for a reader for which no caller waits. Default: at once.
   * Kafka pauses this long after a fetch that returned records.
   */
  max_delay_ms?: number;
  /** The topics whose records may be delayed; all topics if none are named. */
  delayed_topics?: readonly string[];
  /**
   * Called with newly assigned partition numbers before their first batch. May return start offsets, which override committed ones. A
   * partition with neither starts at 0. A throw is retried.
   */
  onAssigned?(partitions: readonly number[]): Promise<readonly TopicOffset[]>;
  /** Called when partitions moved to another member; no batch of them arrives afterwards. The owner must stop its running work itself. */
  onRevoked?(partitions: readonly number[]): Promise<void>;
  /**
   * At most one call at a time for each topic and partition; may take arbitrarily long (membership is kept alive meanwhile). The next
   * batch is delivered when it resolves. After a throw the same batch is delivered again after a pause, without limit. Resolving commits
   * nothing: see `commit`.
   */
  onBatch(batch: LogBatch): Promise<void>;
}

export interface RunningSubscription {
  /** Records that everything below these offsets is done. Lazy: a crash may lose it (then records are delivered again). */
  commit(offsets: readonly TopicOffset[]): void;
  /**
   * Milliseconds (monotonic) since this reader was last known to have everything of the topic; 0 embedded, Infinity before the first
   * time.
   */
  staleness_ms(topic: string): number;
  /** Resolves when every batch below the current heads has been handled. */
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
  /** Start of each partition: 'start', 'head', or the given offsets (other partitions from the start). */
  from: 'start' | 'head' | readonly TopicOffset[];
  onBatch(batch: LogBatch): Promise<void>;
}

/** What may be dropped: in each partition everything below an offset; nothing of some topics. */
export interface DropTerms {
  below(topic: string, partition: number): number;
  /** Whether all records of the topic are kept, whatever happens to the files that contain them. */
  carries(topic: string): boolean;
}

export interface Dropped {
  /** Number of files, or partitions, that were shortened. */
  segments: number;
  /** 0 if the adapter does not know. */
  bytes: number;
}

/** The record was dropped after a checkpoint covered it: `first` is the first remaining offset. */
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

/** An acknowledged record that the disk does not return: a checksum is wrong, or part of a file is missing. */
export class RecordsUnreadable extends Error {
  constructor(
    readonly topic: string,
    readonly partition: number,
    /** The first unreadable offset. */
    readonly offset: number,
    cause: Error,
  ) {
    super(`${topic}/${partition} offset ${offset} cannot be read: ${cause.message}`, { cause });
  }
}

/**
 * `full`: the disk is full and appends are refused until there is space; `failed`: until the process restarts; `stalled`: a subscription
 * has records to read and makes no progress (Kafka only: it was rebuilt without effect).
 */
export type LogHealth = 'open' | 'full' | 'failed' | 'stalled' | 'closed';

/**
 * The log: topics of numbered partitions, records by offset from 0, each durable before it is acknowledged. Every adapter guarantees
 * (suite.ts): within one writer, offsets of a partition ascend in the order of acknowledgement; an acknowledged record is never lost,
 * reordered or changed; delivery to subscriptions is at least once. Not guaranteed: exactly-once delivery, order across partitions or
 * topics, a conditional append. An abstract class so that Nest can inject it by its own name.
 */
export abstract class EventLog {
  /** Creates missing topics, with unlimited retention unless `outside` says otherwise; existing topics keep their partition count. */
  abstract ensureTopics(specs: readonly TopicSpec[]): Promise<void>;
  /** Partition count of an existing topic. */
  abstract partitions(topic: string): number;
  /**
   * Appends and resolves with the offsets once all records are durable. Records of one append to one partition become visible together
   * and in order. Appends during a running write share the next one.
   * @throws InfrastructureFault if the log is unavailable, full or failed: the records may or may not be written.
   */
  abstract append(records: readonly NewRecord[]): Promise<number[]>;
  abstract subscribe(subscription: Subscription): Promise<RunningSubscription>;
  /** Reads every partition of the topics, without a group: for state that each process folds for itself. */
  abstract follow(follower: Follower): Promise<RunningSubscription>;
  /** Up to `records_max` durable records from an offset on; empty at the head. On Kafka a random read takes milliseconds. */
  abstract read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]>;
  /**
   * The first remaining offset; 0 if nothing was dropped. Reading below it throws RecordsDropped; followers and subscriptions start
   * there.
   */
  async first(_topic: string, _partition: number): Promise<number> {
    return 0;
  }
  /** Drops old records, as far as the terms and active readers allow; the remaining records keep their offsets. */
  async drop(_terms: DropTerms): Promise<Dropped> {
    return { segments: 0, bytes: 0 };
  }
  /** The offset of the next durable record. */
  abstract head(topic: string, partition: number): Promise<number>;
  /**
   * The first offset whose record was appended at this time (epoch ms) or later; the head if there is none. Append times of a partition
   * ascend, or nearly so: if the log's clock was once set back, the result may be off by that difference.
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
  /** Whether appends are accepted and subscriptions progress, as far as this process knows without a request. */
  get health(): LogHealth {
    return 'open';
  }
  /** Whether clients outside of the platform can read and write topics of this log. */
  get is_shared(): boolean {
    return false;
  }
  abstract close(): Promise<void>;
}
