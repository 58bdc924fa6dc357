import { type CallStatus, statusOf, terminalStatuses } from '@countersign/domain';
import type { Calls } from '../calls.js';
import { Refusal } from '../refusal.js';
import type { BatchRequest } from '../request/call-request.js';
import type { AnswerSink, CallAnswer } from '../submitting/answer-writer.js';
import type { DerivedFrom, Submission } from '../submitting/submission.js';

type BatchCall = BatchRequest['calls'][number];

/** Receives the results of a batch: one of the first three methods per call, by index, and then `end`. */
export interface BatchSink {
  answered(index: number, answer: CallAnswer): void;
  refused(index: number, refusal: Refusal): void;
  /** A store is unavailable, or the answer cannot be read at the moment. */
  failed(index: number, cause: unknown): void;
  end(): void;
}

/** One call of a batch. */
class BatchItem implements AnswerSink {
  constructor(
    private readonly run: BatchRun,
    private readonly index: number,
    private readonly sink: BatchSink,
  ) {}

  answered(answer: CallAnswer): void {
    this.run.ended(this.index, answer, () => this.sink.answered(this.index, answer));
  }

  refused(refusal: Refusal): void {
    this.run.ended(this.index, undefined, () => this.sink.refused(this.index, refusal));
  }

  unreadable(_call_id: string, cause: unknown): void {
    this.failed(cause);
  }

  failed(cause: unknown): void {
    this.run.ended(this.index, undefined, () => this.sink.failed(this.index, cause));
  }
}

/** The result of a finished call of a batch. */
interface Ended {
  succeeded: boolean;
  /** Undefined: the call was not accepted. */
  status: CallStatus | undefined;
  call_id: string | undefined;
  markings: readonly string[];
}

/**
 * Runs one batch: independent calls concurrently, dependent calls once their dependencies succeed. Each result is emitted as its call ends.
 */
export class BatchRun {
  private readonly outcomes: (Ended | undefined)[];
  private readonly sent: boolean[];
  private left: number;

  constructor(
    private readonly submitting: Pick<Calls, 'submit'>,
    private readonly calls: readonly BatchCall[],
    private readonly by: Omit<Submission, 'idempotency_key' | 'derived_from'>,
    private readonly sink: BatchSink,
  ) {
    this.outcomes = calls.map(() => undefined);
    this.sent = calls.map(() => false);
    this.left = calls.length;
  }

  start(): void {
    this.go();
  }

  /** Stores the result of a call and sends the calls that waited for it. */
  ended(index: number, answer: CallAnswer | undefined, tell: () => void): void {
    if (this.outcomes[index] !== undefined) return;
    const state = answer?.state;
    const status = state && statusOf(state);
    const succeeded = status === 'succeeded';
    this.outcomes[index] = { succeeded, status, call_id: state?.call_id, markings: state?.call?.authority?.markings ?? [] };
    tell();
    this.left--;
    if (this.left === 0) this.sink.end();
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
      else new BatchItem(this, index, this.sink).refused(this.unmet(failed));
    }
  }

  /** Why a call is not sent: a dependency did not succeed, or did not end within the wait. */
  private unmet(need: number): Refusal {
    const { status, call_id } = this.outcomes[need] as Ended;
    const more = { dependency: { index: need, call_id: call_id ?? null, status: status ?? null } };
    const pending = status !== undefined && !terminalStatuses.has(status) && status !== 'in_doubt';
    if (pending)
      return new Refusal('dependency-pending', `call ${need} is ${status}; this call was not sent. Send it when that call has ended`, more);
    return new Refusal(
      'dependency-failed',
      `call ${need} ${status === undefined ? 'was not accepted' : `is ${status}`}; this call was not sent`,
      more,
    );
  }

  private send(index: number): void {
    const { depends_on = [], idempotency_key, ...request } = this.calls[index] as BatchCall;
    const item = new BatchItem(this, index, this.sink);
    const by = { ...this.by, idempotency_key, ...(depends_on.length > 0 ? { derived_from: this.derivedFrom(depends_on) } : {}) };
    this.submitting.submit(request, by, item)?.catch((cause) => item.failed(cause));
  }

  /** The dependencies of a call are its sources. */
  private derivedFrom(needs: readonly number[]): DerivedFrom {
    const ended = needs.map((need) => this.outcomes[need] as Ended);
    return { call_ids: ended.flatMap(({ call_id }) => call_id ?? []), markings: ended.flatMap(({ markings }) => markings) };
  }
}
