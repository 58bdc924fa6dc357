import type { ToolCall } from '@countersign/contracts';
import { type CallState, type PlacedEvent, statusOf } from '@countersign/domain';
import { type CallSpan, decisionAttributes } from '@countersign/process';
import type { LogPosition } from '@countersign/store';
import { isSameCaller } from '../identity/same-caller.js';
import { type CallWaiter } from '../recording/call-recorder.js';
import { Refusal } from '../refusal.js';
import type { CallTracker } from '../tracking/call-tracker.js';
import { isAnswer, settledAs } from '../waiting/is-answer.js';
import { type Timed } from '../waiting/timer-wheel.js';
import type { AnswerSink, AnswerTerms, AnswerWriter } from './answer-writer.js';

/** A result may overtake its ruling by this much; an approval request follows its ruling directly. */
const STRAGGLER_MS = 250;
/** After this long without news, the view is read. */
const REFRESH_MS = 2_000;
/** The first look at the view for a call that may be on the record already; later looks wait twice as long each. */
const FIRST_REFRESH_MS = 50;
/** Nothing is answered before the ruling; where none comes in this time the request stays on the record. */
const RULING_MAX_MS = 5_000;

const ofAnother = (call_id: string): Refusal =>
  new Refusal('conflict', 'this run_id and seq name a call of another principal; give the call another run_id or seq', {
    reason: 'run_seq_taken',
    call_id,
  });

/** A call that is being put on the record, and how its caller waits for it. */
export interface PendingCall extends AnswerTerms {
  call_id: string;
  tenant_id: string;
  wait_ms: number;
  /** Of this request's own record. */
  event_id: string;
  /** The call may have been requested before: then the view has it, and the log has no new record. Undefined where its id is new. */
  numbered: ToolCall | undefined;
}

/** A caller who waits for one call: answered at its end, at a pending approval, or when the wait is over. */
export class PendingAnswer implements CallWaiter, Timed {
  private state: CallState | undefined;
  private answered = false;
  private patience_over = false;
  private position: LogPosition | undefined;
  private request: LogPosition | undefined;
  slot: number | null = null;
  private readonly opened_ms: number;
  private refresh_ms: number;

  constructor(
    private readonly tracker: CallTracker,
    private readonly writer: AnswerWriter,
    private readonly sink: AnswerSink,
    private readonly call: PendingCall,
    private readonly span: CallSpan,
  ) {
    this.opened_ms = tracker.clock.monotonic_ms();
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
    if (at) this.position = this.tracker.noted(at) ? at : undefined;
    const settled = settledAs(state);
    if (settled !== undefined) this.finish(settled === 'ended');
    else if (this.patience_over && state.ruling && !isAnswer(statusOf(state))) this.finish(false);
    else if (isAnswer(statusOf(state)) || statusOf(state) === 'pending_approval') this.schedule(STRAGGLER_MS);
  }

  /** The views know a call once its request is folded, which is on another topic than its end: an answer names both. */
  recorded(at: LogPosition): void {
    this.request = this.tracker.noted(at) ? at : undefined;
  }

  refused(refusal: Refusal): void {
    if (this.answered) return;
    this.leave();
    this.span.end(refusal.detail);
    this.sink.refused(refusal);
  }

  due(): void {
    if (this.answered) return;
    const waited = this.tracker.clock.monotonic_ms() - this.opened_ms;
    this.patience_over ||= waited >= this.call.wait_ms;
    const status = this.state ? statusOf(this.state) : 'pending_policy';
    if (isAnswer(status)) this.finish(true);
    else if (this.state?.ruling && (this.patience_over || status === 'pending_approval')) this.finish(false);
    else if (this.patience_over && waited >= RULING_MAX_MS && !this.state?.ruling) this.undecided();
    else this.wait(waited);
  }

  private wait(waited: number): void {
    // Half the wait: another waiter of this call has read the view by then, or this one does.
    this.tracker.refresh(this.call.tenant_id, this.call.call_id, this.refresh_ms / 2);
    const left = this.call.wait_ms - waited;
    this.refresh_ms = Math.min(this.refresh_ms * 2, REFRESH_MS);
    this.schedule(left > 0 ? Math.min(left, this.refresh_ms) : this.refresh_ms);
  }

  private schedule(delay_ms: number): void {
    this.tracker.wheel.add(this, delay_ms);
  }

  private undecided(): void {
    const { call_id } = this.call;
    this.refused(new Refusal('no-ruling-yet', 'policy has not decided on the call yet; read it at its location', { call_id }));
  }

  /** An earlier record than this request's own requested the call. */
  private isRepeat({ requested }: CallState): boolean {
    return requested !== null && requested.event_id !== this.call.event_id;
  }

  private leave(): void {
    this.answered = true;
    this.tracker.wheel.remove(this);
    this.tracker.watchedCalls.unwatch(this.call.call_id, this);
  }

  private finish(ended: boolean): void {
    const state = this.state as CallState;
    this.leave();
    if (state.ruling) this.span.set(decisionAttributes(state.ruling.approval_mode_effective, state.ruling.decision_id));
    this.span.end();
    this.tracker.measured(statusOf(state), this.tracker.clock.monotonic_ms() - this.opened_ms);
    const end = state.end?.position;
    const last = this.position ?? (end && end.offset >= 0 ? end : undefined);
    const positions = [this.request, last].filter((at) => at !== undefined);
    this.writer.write({ ended, state, positions, repeat: this.isRepeat(state) }, this.call, this.sink);
  }
}
