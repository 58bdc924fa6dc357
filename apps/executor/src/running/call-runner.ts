import { callError, crashPoint, type Outcome } from '@countersign/contracts';
import { type CallEvent, inDoubt, isFinished, lateResult, type RunResult } from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import type { Abortable, Job } from '../calls/job.js';
import { doubtOutcome, outcomeOf } from '../calls/outcomes.js';
import type { UndoneEffects } from '../claims/undone-effects.js';
import type { Redactor } from '../judging/redactor.js';
import type { Lease } from '../lease/lease.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import type { Seen } from '../tool-runs/recorded-result.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { RunObserver } from './call-spans.js';
import type { RunEvent, RunResults } from './run-results.js';

/** Pause before a resend is checked again while the lease is unproven. */
const UNPROVEN_PAUSE_MS = 20;
const NEVER = Number.POSITIVE_INFINITY;

/** The next attempt of a cancelled call. It says nothing about an earlier one. */
const NOT_SENT_AGAIN: RunResult = {
  kind: 'refused',
  error: callError('CANCELLED', 'the call was cancelled before it was sent again'),
  effect: 'none',
};

/** A due call, and its event. */
export interface Due {
  job: Job;
  event: Extract<CallEvent, 'start_again' | 'run_again' | 'ask_due'> | RunEvent;
}

/** Dependencies of runs, besides their tools. */
export interface CallRunnerParts {
  lease: Lease;
  clock: Clock;
  logger: Pick<Logger, 'error'>;
  /** Undefined without an observer. */
  observer: RunObserver | undefined;
  /** Hides what the tenant's rules hide. */
  redactor: Pick<Redactor, 'seen'>;
  /** Has the keys ready that encrypt the result of an encrypted call. */
  decryptor: Pick<PersonalDataDecryptor, 'ready'>;
}

/** Runs authorized calls, and determines the outcome of those whose response was lost. */
export class CallRunner {
  /** Jobs that are checked again at their `due_ms`. */
  private readonly timed = new Set<Job>();
  /** Results that are being finished, with their run. */
  private readonly finishing = new WeakMap<Job, { run: Abortable; more: Promise<Seen> }>();

  constructor(
    private readonly runtime: ToolRuns,
    private readonly parts: CallRunnerParts,
    private readonly results: RunResults,
    private readonly undone: Pick<UndoneEffects, 'again'>,
  ) {}

  /** The last step: no call runs without the lease. Resolves with the result of the run. */
  run(job: Job): RunEvent | Promise<RunEvent | undefined> {
    const { lease, clock } = this.parts;
    if (!lease.check()) return lease.unproven ? 'lease_unproven' : 'lease_missing';
    return new Promise((answer) => this.fire(job, clock.now_ms(), clock.monotonic_ms(), answer));
  }

  private fire(job: Job, now_ms: number, monotonic_ms: number, answer: (event: RunEvent | undefined) => void) {
    job.aborted = undefined;
    if (job.started_at_ms === 0) job.started_at_ms = now_ms;
    job.fired_at_ms = now_ms;
    job.begin_before_ms = this.parts.lease.begin_before_ms;
    const ends_ms = this.endsBy(job, now_ms);
    job.due_ms = monotonic_ms + Math.max(1, ends_ms - now_ms);
    job.running_since_ms = monotonic_ms;
    this.timed.add(job);
    this.parts.observer?.fired(job);
    const done = (of: Job, run: Abortable, seen: Seen) => answer(this.guarded(of, () => this.take(of, run, seen)));
    this.runtime.run(job, ends_ms, done, this.proven);
  }

  /** All attempts of a read share the timeout of its tool; a write that is sent again to learn its outcome gets a new timeout. */
  private endsBy(job: Job, now_ms: number): number {
    const timeout_ms = this.runtime.find(job)?.contract.timeout_ms ?? 0;
    if (job.until_ms === 0) job.until_ms = now_ms + timeout_ms;
    return Math.min(job.write ? now_ms + timeout_ms : job.until_ms, job.call.deadline_ms ?? NEVER);
  }

  private readonly proven = () => this.parts.lease.proven();

  private take(job: Job, run: Abortable, answered: Seen): RunEvent | undefined {
    const result = this.parts.redactor.seen(job, answered);
    // What rules hide from this call they may show to another.
    if (result !== answered && job.call.alias) job.memo_key = undefined;
    crashPoint('executor.after_effect');
    if (job.stage !== 'running' || job.handle !== run) return this.late(job, result);
    const more = job.opened ? this.sealable(job, result) : this.runtime.finish(job, result);
    if (!more) return this.results.settle(job, result);
    this.finishing.set(job, { run, more });
    job.due_ms = NEVER;
    return 'result_to_finish';
  }

  /** Waits for the steps after a response: the read-back of its effect, or the storage of its full output. */
  async finish(job: Job): Promise<RunEvent | undefined> {
    try {
      const { run, more } = this.finishing.get(job) as { run: Abortable; more: Promise<Seen> };
      const finished = await more;
      return job.stage === 'finishing' && job.handle === run ? this.results.settle(job, finished) : this.late(job, finished);
    } catch (cause) {
      return this.broken(job, cause);
    }
  }

  private guarded<T>(job: Job, work: () => T): T | 'broken' | undefined {
    try {
      return work();
    } catch (cause) {
      return this.broken(job, cause);
    }
  }

  /** Last resort: an error while a result is handled ends only its own call. */
  broken(job: Job, cause: unknown): 'broken' | undefined {
    const text = job.call.sealed || !(cause instanceof Error) ? 'withheld' : cause.stack;
    this.parts.logger.error(
      { event: 'run_result_failed', call_id: job.call_id, tool: job.call.tool, cause: text },
      'the result of a run could not be processed',
    );
    if (isFinished(job.stage)) return undefined;
    const error = callError('UNKNOWN', 'the result of the call could not be recorded');
    const now_ms = this.parts.clock.now_ms();
    const outcome = job.write
      ? doubtOutcome(job, inDoubt(error), now_ms)
      : outcomeOf(job, { status: 'failed', error, effect: 'none' }, now_ms);
    job.verdict = { kind: 'ended', outcome };
    return 'broken';
  }

  private async sealable(job: Job, result: Seen): Promise<Seen> {
    await this.parts.decryptor.ready(job, result);
    return (await this.runtime.finish(job, result)) ?? result;
  }

  /** A result after its run was given up, or after its lease was lost. */
  private late(job: Job, result: RunResult): 'late_result' | undefined {
    if (result.kind !== 'output') return undefined;
    const standing = job.stage === 'settling' || job.stage === 'resending' ? 'settling' : job.stage === 'in_doubt' ? 'in_doubt' : 'ended';
    if (job.stage === 'detached' ? !job.write : lateResult(standing) === 'nothing') return undefined;
    const outcome = this.results.succeeded(job, result, job.write && !result.unchanged ? 'happened' : 'none');
    job.verdict = { kind: 'ended', outcome };
    return 'late_result';
  }

  /** Checked again at its `retry_at_ms`: sent again or reconciled. */
  awaitDue(job: Job): void {
    job.due_ms = this.parts.clock.monotonic_ms() + Math.max(0, job.retry_at_ms - this.parts.clock.now_ms());
    this.timed.add(job);
  }

  /** Its outcome is known: nothing of it runs any more. */
  complete(job: Job, outcome: Outcome): void {
    this.runtime.complete(job, outcome);
    job.due_ms = NEVER;
    job.inputs = undefined;
    this.timed.delete(job);
  }

  /** Requests the tool to stop; its effect is then determined as after a lost response. */
  cancel(job: Job) {
    job.handle?.abort('cancelled');
    job.due_ms = Math.min(job.due_ms, this.parts.clock.monotonic_ms() + this.results.limits.grace_ms);
    job.aborted ??= 'cancelled';
  }

  /** Destroys the run: its lease is lost, or another process recorded its end. */
  drop(job: Job, reason: 'lease_lost' | 'closing') {
    this.timed.delete(job);
    job.handle?.abort(reason);
  }

  /** Long-running reads without a row. */
  longReads(): Job[] {
    const since_ms = this.parts.clock.monotonic_ms() - this.results.limits.long_read_ms;
    return [...this.timed].filter((job) => job.stage === 'running' && !job.write && !job.has_row && job.running_since_ms < since_ms);
  }

  /** All due calls. */
  due(): Due[] {
    const now = this.parts.clock.monotonic_ms();
    const due: Due[] = [];
    for (const job of this.timed) {
      if (job.due_ms > now) continue;
      const event = this.guarded(job, () => this.dueOf(job, now));
      if (event) due.push({ job, event });
    }
    return due;
  }

  private dueOf(job: Job, now: number): Due['event'] | undefined {
    job.due_ms = NEVER;
    switch (job.stage) {
      case 'running':
        if (job.aborted !== undefined) return this.givenUp(job);
        job.aborted = 'timeout';
        job.due_ms = now + this.results.limits.grace_ms;
        job.handle?.abort('timeout');
        return undefined;
      case 'resending':
        if (this.parts.lease.unproven) {
          job.due_ms = now + UNPROVEN_PAUSE_MS;
          return undefined;
        }
        if (job.cancelled) return this.results.settle(job, NOT_SENT_AGAIN);
        this.timed.delete(job);
        job.resends++;
        return job.write ? 'start_again' : 'run_again';
      case 'settling':
        return 'ask_due';
      default:
        return undefined;
    }
  }

  private givenUp(job: Job): RunEvent {
    const cancelled = job.aborted === 'cancelled';
    const message = cancelled ? 'the call was cancelled while it ran' : 'the tool did not return before the deadline';
    return this.results.settle(job, { kind: 'lost', error: callError(cancelled ? 'CANCELLED' : 'TIMEOUT', message) });
  }

  /** Reconciles the call: queries its system of record for the outcome. */
  async ask(job: Job): Promise<RunEvent | undefined> {
    try {
      const { clock, lease } = this.parts;
      if (job.call.compensates && !job.undone) await this.undone.again(job);
      const answer = await this.runtime.reconcile(job, clock.now_ms());
      if (!(await lease.proven())) return undefined;
      return job.stage === 'settling' ? this.results.afterAnswer(job, answer, clock.now_ms()) : undefined;
    } catch (cause) {
      return this.broken(job, cause);
    }
  }
}
