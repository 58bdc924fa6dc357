import { type Authority, type CompensatedEffect, union } from '@countersign/contracts';
import type { SpanAttributes } from '@countersign/process';
import type { Caller } from '../caller.js';

/** Results that a call is made from, and their markings. */
export interface DerivedFrom {
  call_ids: readonly string[];
  markings: readonly string[];
}

/** Who submits a call and how, whatever way it came in by. */
export interface Submission {
  caller: Caller;
  /** The caller's own key of the effect; absent: it is derived from the inputs. */
  idempotency_key: string | undefined;
  /** W3C traceparent. */
  traceparent: string | undefined;
  /** How long the caller waits for the end, at most. */
  wait_ms: number;
  /** The span of this way in. */
  span_name: string;
  span_attributes?: SpanAttributes;
  /** Beside the `sources` of the request. */
  derived_from?: DerivedFrom;
  /** The effect that the call undoes, by a tool of its own. */
  undoes?: { effect: CompensatedEffect; request_id: string | undefined };
  /** The answer warns of a deprecated version even where the record does not. */
  warns_of_deprecation: boolean;
}

/** The authority of a call: what was resolved or the caller's own (undefined), with what it is derived from. */
export function authorityFor({ caller, derived_from }: Submission, resolved: Authority | undefined): Authority | undefined {
  if (!derived_from) return resolved;
  const base = resolved ?? caller.authority;
  return { ...base, sources: union(base.sources, derived_from.call_ids), markings: union(base.markings, derived_from.markings) };
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id of a traceparent; undefined where it has none. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  const match = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  return match && !/^0+$/.test(match[1] as string) ? match[1] : undefined;
}
