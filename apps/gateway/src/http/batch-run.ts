import {
  type AnswerNotes,
  type BatchRequest,
  type Caller,
  type EffectStanding,
  envelopeText,
  isKeyReuse,
  needsEffect,
  Refusal,
  type SeenCall,
  seenBy,
} from '@countersign/calls';
import { type Authority, union } from '@countersign/contracts';
import { type CallState, type CallStatus, statusOf, terminalStatuses } from '@countersign/domain';
import type { AnswerSink, FinalAnswer } from './call-answer.js';
import type { CallIntake } from './call-intake.js';
import { keyReuse } from './post-reply.js';
import { type Problem, problemDocument } from './problem.js';

type BatchCall = BatchRequest['calls'][number];

class Line implements AnswerSink {
  constructor(
    private readonly run: BatchRun,
    private readonly index: number,
  ) {}
  answered({ state, repeat }: FinalAnswer): void {
    if (isKeyReuse(state)) this.refused(keyReuse(state.call_id));
    else if (needsEffect(state, repeat)) this.writeWithEffect(state, repeat);
    else this.write(state, {});
  }
  private writeWithEffect(state: CallState, repeat: boolean): void {
    const seen = repeat ? this.run.seen(state) : state;
    void this.run.effect(state).then(
      (effect) => this.write(seen, { repeat, effect }),
      (cause) => this.refused(this.run.fault(cause)),
    );
  }
  private write(state: SeenCall, notes: AnswerNotes): void {
    const text = this.run.shown(state.tenant_id, `{"index":${this.index},"call":${envelopeText(state, notes)}}`);
    if (typeof text === 'string') this.run.ended(this.index, text, state);
    else
      void text.then(
        (opened) => this.run.ended(this.index, opened, state),
        (cause) => this.refused(this.run.fault(cause)),
      );
  }
  refused(problem: Problem): void {
    const document = problemDocument(problem, `/v1/calls:batch#/calls/${this.index}`);
    this.run.ended(this.index, `{"index":${this.index},"problem":${JSON.stringify(document)}}`, undefined);
  }
}

/** What a batch knows of a call that ended. */
interface Ended {
  succeeded: boolean;
  /** Undefined: it was not taken. */
  status: CallStatus | undefined;
  call_id: string | undefined;
  markings: readonly string[];
}

/** One batch: independent calls at once, dependent ones when what they depend on succeeded; a line each as it ends. */
export class BatchRun {
  private readonly outcomes: (Ended | undefined)[];
  private readonly sent: boolean[];
  private left: number;

  constructor(
    private readonly intake: CallIntake,
    private readonly calls: readonly BatchCall[],
    private readonly by: { caller: Caller; traceparent: string | undefined; wait_ms: number; fault(cause: unknown): Problem },
    private readonly out: { line(text: string): void; end(): void },
  ) {
    this.outcomes = calls.map(() => undefined);
    this.sent = calls.map(() => false);
    this.left = calls.length;
  }

  start(): void {
    this.go();
  }

  shown(tenant_id: string, text: string): string | Promise<string> {
    return this.intake.readable.text(tenant_id, text);
  }

  seen(state: CallState): SeenCall {
    return seenBy(state, this.by.caller);
  }

  effect(state: CallState): Promise<EffectStanding | undefined> {
    return this.intake.effects.of(state);
  }

  fault(cause: unknown): Problem {
    return this.by.fault(cause);
  }

  ended(index: number, line: string, state: CallState | undefined): void {
    if (this.outcomes[index] !== undefined) return;
    const status = state && statusOf(state);
    const succeeded = status === 'succeeded';
    this.outcomes[index] = { succeeded, status, call_id: state?.call_id, markings: state?.call?.authority?.markings ?? [] };
    this.out.line(line);
    this.left--;
    if (this.left === 0) this.out.end();
    else this.go();
  }

  private go(): void {
    for (let index = 0; index < this.calls.length; index++) {
      if (this.sent[index]) continue;
      const needs = (this.calls[index] as BatchCall).depends_on ?? [];
      const failed = needs.find((need) => this.outcomes[need]?.succeeded === false);
      if (failed === undefined && !needs.every((need) => this.outcomes[need])) continue;
      this.sent[index] = true;
      if (failed === undefined) this.send(index);
      else new Line(this, index).refused(this.unmet(failed));
    }
  }

  /** Why a call is not sent: what it depends on ended otherwise, or has not ended in the time that was waited for. */
  private unmet(need: number): Refusal {
    const { status, call_id } = this.outcomes[need] as Ended;
    const more = { dependency: { index: need, call_id: call_id ?? null, status: status ?? null } };
    const pending = status !== undefined && !terminalStatuses.has(status) && status !== 'in_doubt';
    if (pending)
      return new Refusal('dependency-pending', `call ${need} is ${status}; this one was not sent, send it when that one has ended`, more);
    return new Refusal(
      'dependency-failed',
      `call ${need} ${status === undefined ? 'was not taken' : `is ${status}`}; this one was not sent`,
      more,
    );
  }

  private send(index: number): void {
    const waiting = this.intake.authority(this.calls[index] as BatchCall, this.by.caller);
    if (waiting === undefined) this.submit(index, undefined);
    waiting?.then(
      (authority) => (authority instanceof Refusal ? new Line(this, index).refused(authority) : this.submit(index, authority)),
      (cause) => new Line(this, index).refused(this.by.fault(cause)),
    );
  }

  private submit(index: number, authority: Authority | undefined): void {
    const { depends_on, idempotency_key, ...request } = this.calls[index] as BatchCall;
    const line = new Line(this, index);
    const { caller, traceparent, wait_ms } = this.by;
    const span = this.intake.span('POST /v1/calls:batch', traceparent);
    const by = { caller, idempotency_key, traceparent: span.traceparent, authority: this.fed(authority, depends_on ?? []) };
    const admitted = this.intake.admit(request, by);
    const refuse = (problem: Problem | undefined) => {
      if (!problem) return;
      span.end(problem.kind);
      line.refused(problem);
    };
    const recorded = admitted instanceof Refusal ? admitted : this.intake.record(admitted, line, wait_ms, span);
    if (recorded instanceof Promise) recorded.then(refuse, (cause) => refuse(this.by.fault(cause)));
    else refuse(recorded);
  }

  /** What a call depends on is a source of it. */
  private fed(authority: Authority | undefined, needs: readonly number[]): Authority | undefined {
    if (needs.length === 0) return authority;
    const base = authority ?? this.by.caller.authority;
    const fed = needs.map((need) => this.outcomes[need] as Ended);
    const sources = union(
      base.sources,
      fed.flatMap(({ call_id }) => call_id ?? []),
    );
    return {
      ...base,
      sources,
      markings: union(
        base.markings,
        fed.flatMap(({ markings }) => markings),
      ),
    };
  }
}
