import { type CallState, type PlacedEvent, statusOf } from '@countersign/domain';
import type { CallSpan } from '@countersign/process';
import { decisionAttributes } from '@countersign/process';
import type { CallWaiter } from '../admission/call-desk.js';
import { isAnswer } from '../waiting/is-answer.js';
import type { Timed } from '../waiting/timer-wheel.js';
import type { CallRoom } from './call-room.js';
import { envelopeText, isKeyReuse } from './envelope.js';
import { positionText } from './positions.js';
import { Problem } from './problem.js';
import { type HttpReply, type HttpRequest, JSON_CONTENT_TYPE, sendProblem } from './reply.js';

/** A result may overtake its ruling by this much; an approval request stands right behind its ruling. */
const STRAGGLER_MS = 250;
/** Unheard for so long, the view is asked. */
const REFRESH_MS = 2_000;
/** A POST answers no earlier than the ruling; where none comes the request stays on the record. */
const RULING_MAX_MS = 10_000;

/** The open request of one `POST /v1/calls`: answered at the end of the call, at a pending approval, or when the wait is over. */
export class CallAnswer implements CallWaiter, Timed {
  private state: CallState | undefined;
  private answered = false;
  private patience_over = false;
  private position: string | undefined;
  private slot = -1;
  private readonly opened_ms: number;

  constructor(
    private readonly room: CallRoom,
    private readonly http: { request: HttpRequest; reply: HttpReply },
    private readonly call: { call_id: string; tenant_id: string; wait_ms: number; deprecated: boolean },
    private readonly span: CallSpan,
  ) {
    this.opened_ms = room.clock.monotonic_ms();
  }

  start(): void {
    this.schedule();
  }

  changed(state: CallState, at: PlacedEvent | undefined): void {
    if (this.answered) return;
    this.state = state;
    if (at) this.position = positionText(this.room.noted(at));
    const status = statusOf(state);
    if (isAnswer(status)) {
      if (state.ruling || this.straggled(state)) this.finish(200);
    } else if (status === 'pending_approval') {
      if (state.approval || state.ruling?.joined_call_id || this.straggled(state)) this.finish(202);
    } else if (this.patience_over && state.ruling) this.finish(202);
  }

  refused(problem: Problem): void {
    if (this.answered) return;
    this.leave();
    this.span.end(problem.detail);
    sendProblem(this.http.request, this.http.reply, problem);
  }

  due(): void {
    if (this.answered) return;
    this.slot = -1;
    const waited = this.room.clock.monotonic_ms() - this.opened_ms;
    this.patience_over ||= waited >= this.call.wait_ms;
    const status = this.state ? statusOf(this.state) : 'pending_policy';
    if (isAnswer(status)) this.finish(200);
    else if (this.state?.ruling && (this.patience_over || status === 'pending_approval')) this.finish(202);
    else if (this.patience_over && waited >= RULING_MAX_MS && !this.state?.ruling) this.undecided();
    else {
      this.room.refresh(this.call.tenant_id, this.call.call_id);
      this.schedule();
    }
  }

  /** Something is missing that must come soon: look again then. */
  private straggled(state: CallState): boolean {
    this.state = state;
    if (this.slot >= 0) this.room.wheel.remove(this, this.slot);
    this.slot = this.room.wheel.add(this, STRAGGLER_MS);
    return false;
  }

  private schedule(): void {
    const waited = this.room.clock.monotonic_ms() - this.opened_ms;
    const left = this.call.wait_ms - waited;
    this.slot = this.room.wheel.add(this, left > 0 ? Math.min(left, REFRESH_MS) : REFRESH_MS);
  }

  private undecided(): void {
    const location = this.location();
    this.leave();
    this.span.end('no ruling yet');
    sendProblem(
      this.http.request,
      this.http.reply,
      new Problem(
        'no-ruling-yet',
        'policy has not ruled on the call; ask for it at its location',
        { call_id: this.call.call_id },
        { location },
      ),
    );
  }

  private location(): string {
    return `/v1/calls/${this.call.call_id}`;
  }

  private leave(): void {
    this.answered = true;
    if (this.slot >= 0) this.room.wheel.remove(this, this.slot);
    this.room.board.unwatch(this.call.call_id, this);
  }

  private finish(status: 200 | 202): void {
    const state = this.state as CallState;
    this.leave();
    if (state.ruling) this.span.set(decisionAttributes(state.ruling.approval_mode_effective, state.ruling.decision_id));
    this.span.end();
    const { reply, request } = this.http;
    if (status === 200 && isKeyReuse(state)) {
      const more = { call_id: state.call_id };
      sendProblem(request, reply, new Problem('key-reused', 'this Idempotency-Key was used with other discriminating inputs', more));
    } else this.send(status, state);
  }

  private send(status: 200 | 202, state: CallState): void {
    const { reply } = this.http;
    const text = envelopeText(state);
    reply.code(status).header('content-type', JSON_CONTENT_TYPE);
    const position = this.position ?? (state.end ? positionText(state.end.position) : undefined);
    if (position !== undefined) reply.header('countersign-position', position);
    if (status === 202) reply.header('location', this.location());
    if (this.call.deprecated) reply.header('deprecation', 'true');
    reply.send(text);
  }
}
