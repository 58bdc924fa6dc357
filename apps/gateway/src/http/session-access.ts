import type { Caller, Refusal } from '@countersign/calls';
import type { IncomingRequest } from './reply.js';

/** Resolves the session cookie of a request. */
export interface SessionAccess {
  /** The caller as of now; undefined if the request has no session cookie or its route takes none. */
  callerOf(request: IncomingRequest): Caller | Refusal | undefined;
  /** The `Set-Cookie` header that extends the session; undefined while the cookie is recent. */
  renewedCookie(request: IncomingRequest): string | undefined;
}
