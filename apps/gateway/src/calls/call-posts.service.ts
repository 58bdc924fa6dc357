import { type Caller, type CallRequest, Calls, callRequest, Refusal } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import { headerOf, type IncomingRequest, type OutgoingReply, sendProblem } from '../http/reply.js';
import { RequestAccess } from '../http/request-access.js';
import { REQUEST_ID_ATTRIBUTE, requestIdOf } from '../http/request-id.js';
import { parseBody } from '../requests/body-issues.js';
import { waitOf } from '../requests/preferences.js';
import { PostReply } from './post-reply.js';

/** Roles that may submit calls. */
export const SUBMITTERS = ['agent', 'operator'] as const;

/** `POST /v1/calls`, for the router and the direct path (direct-calls.ts). */
@Injectable()
export class CallPosts {
  constructor(
    private readonly calls: Calls,
    private readonly access: RequestAccess,
  ) {}

  /** Responds through `reply`: at once, when the call has an answer, or when its wait is over. */
  submit(body: CallRequest, caller: Caller, request: IncomingRequest, reply: OutgoingReply): void | Promise<void> {
    const by = {
      caller,
      idempotency_key: headerOf(request, 'idempotency-key'),
      traceparent: headerOf(request, 'traceparent'),
      wait_ms: waitOf(headerOf(request, 'prefer')),
      span_name: 'POST /v1/calls',
      span_attributes: { [REQUEST_ID_ATTRIBUTE]: requestIdOf(request.raw) },
      warns_of_deprecation: true,
    };
    return this.calls.submit(body, by, new PostReply(request, reply, this.access, caller));
  }

  /** As `submit`, for a request that passed no guard and no pipe. */
  submitDirectly(request: IncomingRequest, reply: OutgoingReply): void | Promise<void> {
    try {
      const caller = this.access.admit(request, SUBMITTERS);
      if (caller instanceof Refusal) return sendProblem(request, reply, caller);
      const body = parseBody(callRequest, request.body);
      if (body instanceof Refusal) return sendProblem(request, reply, body);
      return this.submit(body, caller, request, reply)?.catch((cause) => this.access.fault(request, reply, cause));
    } catch (cause) {
      this.access.fault(request, reply, cause);
    }
  }
}
