import { type CallWaiter, isAnswer, isSameCaller, Refusal, settledAs, type Timed } from '@countersign/calls';
import type { ToolCall } from '@countersign/contracts';
import { type CallState, type PlacedEvent, statusOf } from '@countersign/domain';
import { type CallSpan, decisionAttributes } from '@countersign/process';
import type { LogPosition } from '@countersign/store';
import type { CallRoom } from './call-room.js';
import { positionText } from './positions.js';

/** A result may overtake its ruling by this much; an approval request stands right behind its ruling. */
const STRAGGLER_MS = 250;
/** Unheard for so long, the view is asked. */
const REFRESH_MS = 2_000;
/** The first look at the view for a call that may be on the record already; later looks wait twice as long each. */
const FIRST_REFRESH_MS = 50;
/** Nothing is answered before the ruling; where none comes in this time the request stays on the record. */
const RULING_MAX_MS = 5_000;

export interface FinalAnswer {
  /** 200: the call ended (or is in doubt); 202: it waits for a person, or the wait is over. */
  status: 200 | 202;
  state: CallState;
  /** Of the records that the answer is made of, for `countersign-position`. */
  position: string;
  /** The request was on the record before this POST. */
  repeat: boolean;
}

/** Where an answer goes: the reply of a POST, or a line of a batch. */
export interface AnswerSink {
  answered(answer: FinalAnswer): void;
  refused(problem: Refusal): void;
}

export const locationOf = (callId: string): string => `/v1/calls/${callId}`;

const ofAnother = (call_id: string): Refusal =>
  new Refusal('conflict', 'this run_id and seq name a call of another principal; give the call another run_id or seq', { call_id });

export interface AskedCall {
  call_id: string;
  tenant_id: string;
  wait_ms: number;
  /** Of this request's own record. */
  event_id: string;
  /** Others may have asked for it before: then the view knows it, and the log says nothing new. Undefined where its id is new. */
  numbered: ToolCall | undefined;
}

/** A caller who waits for one call: answered at its end, at a pending approval, or when the wait is over. */
export class CallAnswer implements CallWaiter, Timed {
  private state: CallState | undefined;
  private answered = false;
  private patience_over = false;
  private position: LogPosition | undefined;
  private request: LogPosition | undefined;
  private slot = -1;
  private readonly opened_ms: number;
  private refresh_ms: number;

  constructor(
    private readonly room: CallRoom,
    private readonly sink: AnswerSink,
    private readonly call: AskedCall,
    private readonly span: CallSpan,
  ) {
    this.opened_ms = room.clock.monotonic_ms();
    this.refresh_ms = call.numbered ? FIRST_REFRESH_MS : REFRESH_MS;
  }

  /** From now on the wait counts. */
  start(): void {
    if (!this.answered) this.schedule(Math.min(this.call.wait_ms, this.refresh_ms));
  }

  changed(state: CallState, at: PlacedEvent | undefined): void {
    if (this.answered) return;
    if (this.isOfAnother(state, at)) this.refused(ofAnother(state.call_id));
    else this.take(state, at);
  }

  private isOfAnother(state: CallState, at: PlacedEvent | undefined): boolean {
    const { numbered } = this.call;
    const call = at?.event_type === 'policy_decided' ? at.event.call : state.call;
    return numbered !== undefined && call !== null && !isSameCaller(call, numbered);
  }

  private take(state: CallState, at: PlacedEvent | undefined): void {
    this.state = state;
    if (at) this.position = this.room.noted(at) ? at : undefined;
    const settled = settledAs(state);
    if (settled !== undefined) this.finish(settled);
    else if (this.patience_over && state.ruling && !isAnswer(statusOf(state))) this.finish(202);
    else if (isAnswer(statusOf(state)) || statusOf(state) === 'pending_approval') this.schedule(STRAGGLER_MS);
  }

  /** The views know a call once its request is folded, which is on another topic than its end: an answer names both. */
  recorded(at: LogPosition): void {
    this.request = this.room.noted(at) ? at : undefined;
  }

  refused(problem: Refusal): void {
    if (this.answered) return;
    this.leave();
    this.span.end(problem.detail);
    this.sink.refused(problem);
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
    else this.wait(waited);
  }

  private wait(waited: number): void {
    // Half the wait: others who wait for this call have read the view meanwhile, or this one does.
    this.room.refresh(this.call.tenant_id, this.call.call_id, this.refresh_ms / 2);
    const left = this.call.wait_ms - waited;
    this.refresh_ms = Math.min(this.refresh_ms * 2, REFRESH_MS);
    this.schedule(left > 0 ? Math.min(left, this.refresh_ms) : this.refresh_ms);
  }

  private schedule(delay_ms: number): void {
    if (this.slot >= 0) this.room.wheel.remove(this, this.slot);
    this.slot = this.room.wheel.add(this, delay_ms);
  }

  private undecided(): void {
    const { call_id } = this.call;
    this.refused(new Refusal('no-ruling-yet', 'policy has not ruled on the call; ask for it at its location', { call_id }));
  }

  /** The call was asked for by an earlier record than this request's own. */
  private isRepeat({ requested }: CallState): boolean {
    return requested !== null && requested.event_id !== this.call.event_id;
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
    this.room.measured(statusOf(state), this.room.clock.monotonic_ms() - this.opened_ms);
    const end = state.end?.position;
    const last = this.position ?? (end && end.offset >= 0 ? end : undefined);
    const position = [this.request, last].flatMap((one) => (one ? positionText(one) : [])).join(',');
    this.sink.answered({ status, state, position, repeat: this.isRepeat(state) });
  }
}
