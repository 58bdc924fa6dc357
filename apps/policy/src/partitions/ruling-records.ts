import { type AnyEvent, type CallTopic, type EventCodec, globalTopics, laneTopic, topicOf } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import type { Outgoing } from './partition-writer.js';

/** Encodes the decisions of one partition as records. */
export class RulingRecords {
  constructor(
    private readonly codec: EventCodec,
    private readonly lane: string,
    private readonly partition: number,
  ) {}

  of({ event_type, event }: AnyEvent, key: string, traceparent: string | undefined): NewRecord {
    const topic = topicOf(event_type);
    const isGlobal = (globalTopics as readonly string[]).includes(topic);
    return {
      topic: isGlobal ? topic : laneTopic(topic as CallTopic, this.lane),
      partition: isGlobal ? 0 : this.partition,
      key,
      value: this.codec.encode(event_type, event),
      headers: traceparent === undefined ? { event_type } : { event_type, traceparent },
    };
  }

  /** The same event with a later place in causal order. */
  restamped({ published, record }: Outgoing, hlc: number): Outgoing {
    published.event.meta.hlc = hlc;
    return { published, record: { ...record, value: this.codec.encode(published.event_type, published.event) } };
  }
}
