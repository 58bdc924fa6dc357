import type { EventType, Tagged } from '@countersign/contracts';
import type { LogRecord } from '../event-log.js';
import { keptLeafHash } from '../kept-leaf.js';

/**
 * An event as it was read. Hashes its record when somebody first asks for it: only causes of further events are asked for. The record
 * is a private field, so that copies of the event and its JSON do not carry its bytes.
 */
export class ReadRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp_ms: number;
  readonly traceparent: string | undefined;
  readonly event_type: EventType;
  readonly event: Tagged<EventType>['event'];
  #record: LogRecord;
  #leaf_hash: string | undefined;

  constructor({ event_type, event }: Tagged<EventType>, record: LogRecord) {
    this.event_type = event_type;
    this.event = event;
    this.topic = record.topic;
    this.partition = record.partition;
    this.offset = record.offset;
    this.timestamp_ms = record.timestamp_ms;
    this.traceparent = record.headers.traceparent;
    this.#record = record;
  }

  get leaf_hash(): string {
    this.#leaf_hash ??= keptLeafHash(this.#record).toString('base64');
    return this.#leaf_hash;
  }
}
