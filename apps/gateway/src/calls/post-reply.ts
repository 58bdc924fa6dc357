import type { AnswerSink, CallAnswer, Caller } from '@countersign/calls';
import { type Problem, ProblemWithHeaders } from '../http/problem.js';
import { type IncomingRequest, JSON_CONTENT_TYPE, type OutgoingReply, sendProblem } from '../http/reply.js';
import type { RequestAccess } from '../http/request-access.js';
import { positionText } from '../positions/positions.js';
import { deprecationHeaders } from './deprecation.js';

export const locationOf = (callId: string): string => `/v1/calls/${callId}`;

const notOpened = (call_id: string): Problem =>
  new ProblemWithHeaders(
    'unavailable',
    'the resource cannot be read at the moment; read it at its Location',
    { reason: 'answer_unreadable', call_id },
    { location: locationOf(call_id) },
  );

/** The reply of one `POST /v1/calls`. */
export class PostReply implements AnswerSink {
  constructor(
    private readonly request: IncomingRequest,
    private readonly reply: OutgoingReply,
    private readonly access: Pick<RequestAccess, 'refuse'>,
    private readonly caller: Caller,
  ) {}

  answered({ ended, state, positions, envelope, deprecation }: CallAnswer): void {
    this.reply.code(ended ? 200 : 202).header('content-type', JSON_CONTENT_TYPE);
    if (positions.length > 0) this.reply.header('countersign-position', positions.map(positionText).join(','));
    if (!ended) this.reply.header('location', locationOf(state.call_id));
    if (deprecation) this.reply.headers(deprecationHeaders(deprecation));
    this.reply.send(envelope);
  }

  refused(problem: Problem): void {
    this.access.refuse(this.request, this.reply, this.caller, problem);
  }

  unreadable(call_id: string): void {
    sendProblem(this.request, this.reply, notOpened(call_id));
  }
}
