import {
  type Caller,
  type Deprecation,
  type EffectReader,
  type EffectStanding,
  envelopeText,
  isKeyReuse,
  needsEffect,
  type Readable,
  Refusal,
  type SeenCall,
  seenBy,
} from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { type AnswerSink, type FinalAnswer, locationOf } from './call-answer.js';
import { deprecationHeaders } from './deprecation.js';
import { type Problem, ProblemWithHeaders } from './problem.js';
import { type IncomingRequest, JSON_CONTENT_TYPE, type OutgoingReply, sendProblem } from './reply.js';

export const keyReuse = (callId: string): Refusal =>
  new Refusal('key-reused', 'this Idempotency-Key was used with other discriminating inputs', { call_id: callId });

/** It is on the record and has an answer, which cannot be read just now. */
const notOpened = (call_id: string): Problem =>
  new ProblemWithHeaders(
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
    private readonly readers: { readable: Readable; effects: EffectReader },
    private readonly caller: Pick<Caller, 'clearances'>,
    private readonly deprecation: Deprecation | undefined,
  ) {}

  answered({ state, ...answer }: FinalAnswer): void {
    if (isKeyReuse(state)) this.refused(keyReuse(state.call_id));
    else if (needsEffect(state, answer.repeat)) this.sendWithEffect(state, answer);
    else this.send(state, answer);
  }

  refused(problem: Problem): void {
    sendProblem(this.request, this.reply, problem);
  }

  /** No policy ruled on a repeat: what the caller may not see any more is withheld, as by GET. */
  private sendWithEffect(state: CallState, answer: Omit<FinalAnswer, 'state'>): void {
    const seen = answer.repeat ? seenBy(state, this.caller) : state;
    void this.readers.effects.of(state).then(
      (effect) => this.send(seen, answer, effect),
      () => this.refused(notOpened(state.call_id)),
    );
  }

  private send(state: SeenCall, { status, position, repeat }: Omit<FinalAnswer, 'state'>, effect?: EffectStanding): void {
    const text = envelopeText(state, { repeat, effect, ...(this.deprecation ? { warnings: [this.deprecation.warning] } : {}) });
    this.reply.code(status).header('content-type', JSON_CONTENT_TYPE);
    if (position !== '') this.reply.header('countersign-position', position);
    if (status === 202) this.reply.header('location', locationOf(state.call_id));
    if (this.deprecation) this.reply.headers(deprecationHeaders(this.deprecation));
    const shown = this.readers.readable.text(state.tenant_id, text);
    if (typeof shown === 'string') this.reply.send(shown);
    else
      void shown.then(
        (opened) => this.reply.send(opened),
        () => this.refused(notOpened(state.call_id)),
      );
  }
}
