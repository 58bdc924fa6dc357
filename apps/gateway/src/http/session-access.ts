import type { Caller, Refusal } from '@countersign/calls';
import type { IncomingRequest } from './reply.js';

/** Resolves the session cookie of a request. */
export interface SessionAccess {
  /** The caller as of now; undefined if the request has no session cookie or its route takes none. */
  callerOf(request: IncomingRequest): Caller | Refusal | undefined;
  /**
   * Headers of the answer to an admitted request: no cache may keep what a cookie admitted, and a cookie that is not recent is renewed.
   * Undefined if the request has no session cookie.
   */
  answerHeaders(request: IncomingRequest): Readonly<Record<string, string>> | undefined;
}
