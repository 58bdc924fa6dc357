import { type Caller, Refusal } from '@countersign/calls';
import { isInfrastructureFault } from '@countersign/contracts';
import { RecordsDropped } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import { type Authenticator, lacksRole, type Role } from '../authentication/authenticator.js';
import type { RefusedRequests } from '../authentication/refused-requests.js';
import type { LoopbackCaller } from './loopback-caller.js';
import type { Problem } from './problem.js';
import { type IncomingRequest, type OutgoingReply, sendProblem } from './reply.js';
import { requestIdOf } from './request-id.js';
import type { SessionAccess } from './session-access.js';

/** Converts an error to what the caller may know; its cause goes to the log only. */
function problemOf(cause: unknown, { raw }: Pick<IncomingRequest, 'raw'>, logger: Logger): Problem {
  if (cause instanceof Refusal) return cause;
  if (isInfrastructureFault(cause)) {
    logger.warn({ event: 'dependency_unavailable', request_id: requestIdOf(raw), err: cause }, 'the log or the store is unavailable');
    return new Refusal('unavailable', 'the log or the store is unavailable; nothing was changed: retry', {
      reason: 'store_unavailable',
    });
  }
  if (cause instanceof RecordsDropped) return new Refusal('erased', cause.message, { reason: 'record_dropped', first: cause.first });
  const http = cause as { code?: unknown; statusCode?: unknown; status?: unknown };
  const status = typeof http?.statusCode === 'number' ? http.statusCode : http?.status;
  if (http?.code === 'FST_ERR_CTP_BODY_TOO_LARGE' || status === 413) return new Refusal('body-too-large', 'the body may have at most 1 MB');
  if (http?.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || status === 415)
    return new Refusal('unsupported-media-type', 'send the body as application/json');
  if (status === 404) return new Refusal('not-found', 'no route has this path: see /openapi.json', { reason: 'route_not_found' });
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new Refusal('malformed-body', cause instanceof Error ? cause.message : 'the request cannot be read');
  logger.error({ event: 'request_failed', request_id: requestIdOf(raw), err: cause }, 'a request failed');
  return new Refusal('internal', 'the request failed because of an internal error; its cause is in the log of the gateway');
}

/** Credentials besides the Authorization header. */
interface OtherCredentials {
  sessions?: SessionAccess | undefined;
  /** Absent except for conformance runs. */
  loopback?: LoopbackCaller | undefined;
}

/** Authenticates and authorizes requests, and turns their errors into problem documents. */
export class RequestAccess {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly logger: Logger,
    readonly refused: RefusedRequests,
    private readonly others: OtherCredentials = {},
  ) {}

  /** The caller, if the token is valid and has one of the roles (empty: any). */
  admit(request: IncomingRequest, allowed: readonly Role[]): Caller | Refusal {
    const caller = this.callerOf(request);
    if (caller instanceof Refusal) return caller;
    const lacking = lacksRole(caller, allowed);
    if (lacking) this.refused.note(caller, request, lacking);
    return lacking ?? caller;
  }

  /** Sets the headers of the answer to an admitted request with a session. */
  answerSession(request: IncomingRequest, reply: OutgoingReply): void {
    const headers = this.others.sessions?.answerHeaders(request);
    if (headers) reply.headers(headers);
  }

  /** Sends a problem to a caller. Records the refusal if the caller lacks a right. */
  refuse(request: IncomingRequest, reply: OutgoingReply, caller: Caller, problem: Problem): void {
    this.refused.note(caller, request, problem);
    sendProblem(request, reply, problem);
  }

  /** Verifies the token before `admit`; undefined for API keys. */
  prepare(request: Pick<IncomingRequest, 'headers'>): Promise<void> | undefined {
    return this.authenticator.prepare(request.headers.authorization);
  }

  /** Converts an error to what the caller may know; its cause goes to the log. */
  problemOf(cause: unknown, request: Pick<IncomingRequest, 'raw'>): Problem {
    return problemOf(cause, request, this.logger);
  }

  fault(request: IncomingRequest, reply: OutgoingReply, cause: unknown): void {
    sendProblem(request, reply, problemOf(cause, request, this.logger));
  }

  private callerOf(request: IncomingRequest): Caller | Refusal {
    const { sessions, loopback } = this.others;
    const by_cookie = request.headers.cookie === undefined ? undefined : sessions?.callerOf(request);
    return by_cookie ?? loopback?.of(request) ?? this.authenticator.caller(request.headers.authorization);
  }
}
