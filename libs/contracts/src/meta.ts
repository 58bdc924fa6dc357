import type { Meta } from './generated/events.js';
import { uuidv7 } from './ids.js';

/** Hybrid logical clock: max(own clock in microseconds, the cause's hlc) + 1. Histories are sorted by (hlc, event_id). */
export function nextHlc(now_ms: number, causeHlc: number): number {
  return Math.max(now_ms * 1000, causeHlc) + 1;
}

/** The meta of an event without a cause and without a call: starts a trace, in the only partition of a global topic. */
export function firstMeta(tenant_id: string, now_ms: number, event_id: string = uuidv7(now_ms)): Meta {
  return {
    event_id,
    tenant_id,
    call_id: null,
    attempt: 0,
    causation_id: null,
    correlation_id: event_id.replaceAll('-', ''),
    hlc: nextHlc(now_ms, 0),
    partition: 0,
    cause_hash: null,
  };
}

/** The meta of an event that another event caused: same call, tenant, trace and partition. `cause_hash`: undefined if the record was not read. */
export function metaAfter(cause: Meta, now_ms: number, attempt: number = cause.attempt, cause_hash?: string): Meta {
  return {
    event_id: uuidv7(now_ms),
    tenant_id: cause.tenant_id,
    call_id: cause.call_id,
    attempt,
    causation_id: cause.event_id,
    correlation_id: cause.correlation_id,
    hlc: nextHlc(now_ms, cause.hlc),
    partition: cause.partition,
    cause_hash: cause_hash ?? null,
  };
}
