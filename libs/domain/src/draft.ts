import { type EventMap, type EventType, type Meta, nextHlc } from '@countersign/contracts';

/** The event that another event follows from. */
export type Cause = Pick<Meta, 'event_id' | 'hlc'>;

/** A decided event that has no id and time yet. */
export type Draft<T extends EventType = EventType> = {
  [E in T]: {
    event_type: E;
    /** Meta of the call that the event concerns. */
    of: Meta;
    cause: Cause;
    /** Idempotency key of the call, used as the record key. */
    key: string;
    traceparent: string | undefined;
    body: Omit<EventMap[E], 'meta'>;
  };
}[T];

/** What a drafted event gets when it is written. */
export interface StampedAt {
  event_id: string;
  now_ms: number;
  after_hlc: number;
  /** Hash of the leaf of its cause's record; undefined if that record was not read. */
  cause_hash?: string | undefined;
}

/**
 * The meta of a drafted event: that of its call with the given id and time. Its hlc is later than that of its call, its cause and
 * `after_hlc`.
 */
export function stampedMeta(draft: Pick<Draft, 'of' | 'cause'>, at: StampedAt): Meta {
  const { tenant_id, call_id, attempt, correlation_id, partition, hlc } = draft.of;
  return {
    event_id: at.event_id,
    tenant_id,
    call_id,
    attempt,
    causation_id: draft.cause.event_id,
    correlation_id,
    hlc: nextHlc(at.now_ms, Math.max(hlc, draft.cause.hlc, at.after_hlc)),
    partition,
    cause_hash: at.cause_hash ?? null,
  };
}
