import { callError, extrasOf, type Outcome } from '@countersign/contracts';
import {
  afterReconcile,
  type CallEvent,
  type Meaning,
  meaningOf,
  type ReconcileAnswer,
  type Recovery,
  type RunResult,
} from '@countersign/domain';
import type { Clock } from '@countersign/process';
import type { Job } from '../calls/job.js';
import { cancelledOutcome, doubtOutcome, outcomeOf } from '../calls/outcomes.js';
import type { Seen } from '../tool-runs/recorded-result.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { RunObserver } from './call-spans.js';

export interface RunLimits {
  /** Maximum of resends of a write whose system accepts an idempotency key, and of a read whose connection broke. */
  resends_max: number;
  /** Maximum of reconciles while the system is unreachable. */
  asks_max: number;
  /** How long a tool may take to respond after an abort. */
  grace_ms: number;
  /** A read that runs for longer gets a row. */
  long_read_ms: number;
}

/** The event that follows from a run or a reconcile; the call table determines the rest. */
export type RunEvent = Extract<
  CallEvent,
  'lease_unproven' | 'lease_missing' | 'result_to_finish' | 'outcome_known' | 'resend_later' | 'settle_later' | 'late_result' | 'broken'
>;

const reconciledExtras = (flags: readonly string[] = []) =>
  extrasOf({ verified: true, ...(flags.length > 0 ? { flags: [...flags] } : {}) });

const READ: Recovery = { write: false, takes_key: true, has_reconcile: false, settle_ms: 0, settle_is_final: true };

/** Interprets the result of a run, or the answer of its system of record. */
export class RunResults {
  constructor(
    private readonly runtime: Pick<ToolRuns, 'recoveryOf'>,
    private readonly clock: Clock,
    /** Undefined without an observer. */
    private readonly observer: RunObserver | undefined,
    readonly limits: RunLimits,
  ) {}

  /** The event for the result of a run. */
  settle(job: Job, result: RunResult): RunEvent {
    const late = job.aborted === 'timeout' && result.kind === 'lost';
    const seen: RunResult = late ? { kind: 'lost', error: callError('TIMEOUT', 'the tool did not return before the deadline') } : result;
    const now_ms = this.clock.now_ms();
    const meaning = meaningOf(seen, this.runtime.recoveryOf(job) ?? READ, {
      resends: job.resends,
      resends_max: this.limits.resends_max,
      maybe_happened: job.maybe_happened,
      fired_at_ms: job.fired_at_ms,
      now_ms,
      deadline_ms: job.call.deadline_ms,
      until_ms: job.until_ms,
      paused_ms: job.paused_ms,
      random: Math.random(),
      cancelled: job.cancelled,
    });
    this.observer?.answered(job, seen);
    return this.after(job, meaning, seen, now_ms);
  }

  private after(job: Job, meaning: Meaning, result: RunResult, now_ms: number): RunEvent {
    switch (meaning.kind) {
      case 'succeeded':
        return this.ends(job, this.succeeded(job, result as Extract<RunResult, { kind: 'output' }>, meaning.effect));
      case 'failed':
        return this.ends(job, outcomeOf(job, { status: 'failed', error: meaning.error, effect: 'none' }, now_ms));
      case 'cancelled':
        return this.ends(job, cancelledOutcome(job, now_ms));
      case 'in_doubt':
        return this.ends(job, doubtOutcome(job, meaning.error, now_ms));
      case 'resend':
        job.paused_ms = meaning.pause_ms;
        job.maybe_happened = meaning.maybe_happened;
        job.retry_at_ms = meaning.at_ms;
        return 'resend_later';
      case 'reconcile':
        job.retry_at_ms = meaning.at_ms;
        return 'settle_later';
    }
  }

  private ends(job: Job, outcome: Outcome): 'outcome_known' {
    job.verdict = { kind: 'ended', outcome };
    return 'outcome_known';
  }

  succeeded(
    job: Job,
    { output_json, truncated, warnings, attachments, extras }: Omit<Extract<Seen, { kind: 'output' }>, 'kind'>,
    effect: 'none' | 'happened',
  ): Outcome {
    return outcomeOf(job, { status: 'succeeded', effect, output_json, truncated, warnings, attachments, extras }, this.clock.now_ms());
  }

  /** The event for the answer of its system of record. */
  afterAnswer(job: Job, answer: ReconcileAnswer, now_ms: number): RunEvent {
    const next = afterReconcile(answer, {
      asks_done: job.reconciles,
      asks_max: this.limits.asks_max,
      owner_dead: job.owner_dead,
      settle_is_final: this.runtime.recoveryOf(job)?.settle_is_final ?? false,
      now_ms,
    });
    job.reconciles++;
    switch (next.kind) {
      case 'succeeded':
        return this.ends(job, this.succeeded(job, { ...next, extras: reconciledExtras(next.flags) }, 'happened'));
      case 'failed':
        return this.ends(
          job,
          outcomeOf(job, { status: job.cancelled ? 'cancelled' : 'failed', error: next.error, effect: 'none' }, now_ms),
        );
      case 'in_doubt':
        return this.ends(job, doubtOutcome(job, next.error, now_ms));
      case 'ask_again':
        job.retry_at_ms = next.at_ms;
        return 'settle_later';
    }
  }
}
