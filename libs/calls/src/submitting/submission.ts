import { type Authority, type CompensatedEffect, union } from '@countersign/contracts';
import type { SpanAttributes } from '@countersign/process';
import type { Caller } from '../caller.js';
import type { SagaStepOrigin } from '../identity/step-identity.js';

/** The calls whose results a call uses, and their markings. */
export interface DerivedFrom {
  call_ids: readonly string[];
  markings: readonly string[];
}

/** The caller and the terms of a submitted call, for every transport. */
export interface Submission {
  caller: Caller;
  /** The caller's own idempotency key; absent: the key is derived from the inputs. */
  idempotency_key: string | undefined;
  /** W3C traceparent. */
  traceparent: string | undefined;
  /** The longest wait of the caller for the end. */
  wait_ms: number;
  /** Name of the span of this transport. */
  span_name: string;
  span_attributes?: SpanAttributes;
  /** Sources in addition to the `sources` of the request. */
  derived_from?: DerivedFrom;
  /** The effect that the call undoes, if it names its own tool for that. */
  undoes?: { effect: CompensatedEffect; request_id: string | undefined };
  /** The step of a saga that makes the call, with the identity of its record. */
  step?: SagaStepOrigin;
  /** True if the answer must warn of a deprecated version even if the record does not. */
  warns_of_deprecation: boolean;
}

/** The resolved authority, or the caller's own if undefined, with the sources and markings of `derived_from` added. */
export function authorityFor({ caller, derived_from }: Submission, resolved: Authority | undefined): Authority | undefined {
  if (!derived_from) return resolved;
  const base = resolved ?? caller.authority;
  return { ...base, sources: union(base.sources, derived_from.call_ids), markings: union(base.markings, derived_from.markings) };
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id of a traceparent; undefined if it has none. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  const match = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  return match && !/^0+$/.test(match[1] as string) ? match[1] : undefined;
}
