import { type EventCodec, type EventMap, laneTopic, type Meta, nextHlc, sagaKey, uuidv7 } from '@countersign/contracts';
import type { SagaFact } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';

type Draft = SagaFact | { event_type: 'saga_request_refused'; body: Omit<EventMap['saga_request_refused'], 'meta'> };

/** The place of a record in causal order. */
export interface RecordCause {
  tenant_id: string;
  correlation_id: string;
  /** event_id of the cause; null if the process itself caused the record. */
  causation_id: string | null;
  /** Hash of the leaf of the cause's record. */
  cause_hash: string | undefined;
  /** The record is later than this logical time. */
  after_hlc: number;
  now_ms: number;
}

/** Encodes the facts of one partition of `compensation`. */
export class SagaRecords {
  readonly topic: string;

  constructor(
    private readonly codec: EventCodec,
    readonly lane: string,
    readonly partition: number,
  ) {
    this.topic = laneTopic('compensation', lane);
  }

  /** @returns the record, its id and its logical time */
  of({ event_type, body }: Draft, cause: RecordCause): { record: NewRecord; event_id: string; hlc: number } {
    const { tenant_id, correlation_id, causation_id, cause_hash = null, now_ms } = cause;
    const event_id = uuidv7(now_ms);
    const hlc = nextHlc(now_ms, cause.after_hlc);
    const { partition } = this;
    const meta: Meta = { event_id, tenant_id, call_id: null, attempt: 0, causation_id, correlation_id, hlc, partition, cause_hash };
    const value = this.codec.encode(event_type, { ...body, meta } as unknown as EventMap[typeof event_type]);
    const key = sagaKey(tenant_id, body.saga_id);
    return { record: { topic: this.topic, partition: this.partition, key, value, headers: { event_type } }, event_id, hlc };
  }
}
