import type { EventType, Tagged } from '@countersign/contracts';

/** An event as recorded on the log. */
export type Recorded<T extends EventType = EventType> = Tagged<T> & {
  /** Topic name on the log, including its lane. */
  topic: string;
  partition: number;
  offset: number;
  timestamp_ms: number;
  traceparent: string | undefined;
  /** Hash of the record's leaf in its audit tree (base64), for the `cause_hash` of events that follow from it. Absent: not known. */
  readonly leaf_hash?: string | undefined;
};

/** The argument of an `@OnTopic` handler: decoded events of one partition of one topic, in order, never empty. */
export interface EventBatch {
  topic: string;
  lane: string;
  partition: number;
  events: readonly Recorded[];
  /** Offset after the newest record of the partition when the batch was read. */
  head: number;
}
