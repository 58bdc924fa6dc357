import type { CallState } from '@countersign/domain';
import type { Readable } from '../personal/readable.js';
import { type AnswerSink, locationOf } from './call-answer.js';
import type { Deprecation } from './deprecation.js';
import { envelopeText, isKeyReuse } from './envelope.js';
import { Problem } from './problem.js';
import { type IncomingRequest, JSON_CONTENT_TYPE, type OutgoingReply, sendProblem } from './reply.js';

export const keyReuse = (callId: string): Problem =>
  new Problem('key-reused', 'this Idempotency-Key was used with other discriminating inputs', { call_id: callId });

/** It is on the record and has an answer, which cannot be read just now. */
const notOpened = (call_id: string): Problem =>
  new Problem(
    'unavailable',
    'the answer cannot be read just now; ask for it at its location',
    { call_id },
    { location: locationOf(call_id) },
  );

/** The reply of one `POST /v1/calls`. */
export class PostReply implements AnswerSink {
  constructor(
    private readonly request: IncomingRequest,
    private readonly reply: OutgoingReply,
    private readonly readable: Readable,
    private readonly deprecation: Deprecation | undefined,
  ) {}

  answered(status: 200 | 202, state: CallState, position: string): void {
    if (isKeyReuse(state)) this.refused(keyReuse(state.call_id));
    else this.send(status, state, position);
  }

  refused(problem: Problem): void {
    sendProblem(this.request, this.reply, problem);
  }

  private send(status: 200 | 202, state: CallState, position: string): void {
    const text = envelopeText(state, this.deprecation ? [this.deprecation.warning] : undefined);
    this.reply.code(status).header('content-type', JSON_CONTENT_TYPE);
    if (position !== '') this.reply.header('countersign-position', position);
    if (status === 202) this.reply.header('location', locationOf(state.call_id));
    if (this.deprecation) this.reply.headers(this.deprecation.headers);
    const shown = this.readable.text(state.tenant_id, text);
    if (typeof shown === 'string') this.reply.send(shown);
    else
      void shown.then(
        (opened) => this.reply.send(opened),
        () => this.refused(notOpened(state.call_id)),
      );
  }
}
