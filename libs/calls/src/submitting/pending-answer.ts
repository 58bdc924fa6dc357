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
import type { AnswerTerms, AnswerWriter, CallSink } from './answer-writer.js';

/**
 * How long to wait for a record that another one overtook: a result may overtake its ruling; an approval request follows its ruling
 * directly.
 */
const STRAGGLER_MS = 250;
/** After this time without news, the view is read. */
const REFRESH_MS = 2_000;
/** The delay before the first read of the view for a call that may already be recorded. Later delays double. */
const FIRST_REFRESH_MS = 50;
/** A recorded call without a ruling is not answered until this time is over. Then its caller is refused and the request stays recorded. */
const RULING_MAX_MS = 5_000;

const ofAnother = (call_id: string): Refusal =>
  new Refusal('conflict', 'this run_id and seq name a call of another principal; give the call another run_id or seq', {
    reason: 'run_seq_taken',
    call_id,
  });

/** A call that is being recorded, and the wait of its caller. */
export interface PendingCall extends AnswerTerms {
  call_id: string;
  tenant_id: string;
  wait_ms: number;
  /** event_id of the record of this request. */
  event_id: string;
  /** Set if the call may have been requested before: then the view has it, and the log gets no new record. Undefined if its id is new. */
  numbered: ToolCall | undefined;
}

/** A caller that waits for one call. It is answered at the end, at a pending approval, or when the wait is over. */
export class PendingAnswer implements CallWaiter, Timed {
  private state: CallState | undefined;
  private answered = false;
  private patience_over = false;
  private position: LogPosition | undefined;
  private request: LogPosition | undefined;
  private is_durable = false;
  slot: number | null = null;
  private readonly opened_ms: number;
  private refresh_ms: number;

  constructor(
    private readonly tracker: CallTracker,
    private readonly writer: AnswerWriter,
    private readonly sink: CallSink,
    private readonly call: PendingCall,
    private readonly span: CallSpan,
  ) {
    this.opened_ms = tracker.clock.monotonic_ms();
    this.refresh_ms = call.numbered ? FIRST_REFRESH_MS : REFRESH_MS;
  }

  /** Starts the timer of the wait. */
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

  /**
   * An answer names the position of the request as well as that of the end: they are on different topics, and the views know a call only
   * once its request is folded.
   */
  recorded(at: LogPosition): void {
    this.is_durable = true;
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
    else if (this.patience_over && waited >= RULING_MAX_MS && !this.state?.ruling && this.isOnRecord()) this.undecided();
    else this.wait(waited);
  }

  private wait(waited: number): void {
    // Half the delay: if another waiter of this call has read the view since then, this read is skipped.
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

  /** False while the append of the request may still fail. */
  private isOnRecord(): boolean {
    return this.is_durable || (this.state !== undefined && this.isRepeat(this.state));
  }

  /** True if an earlier record than that of this request created the call. */
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
