import { callError, crashPoint, type Outcome } from '@countersign/contracts';
import { afterReconcile, inDoubt, lateResult, type Meaning, meaningOf, type Recovery, type RunResult } from '@countersign/domain';
import type { Clock } from '@countersign/process';
import type { Redactor } from '../judging/redactor.js';
import type { Lease } from '../lease/lease.js';
import type { Openings } from '../personal/openings.js';
import type { Seen } from '../tool-runs/recorded-result.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { RunObserver } from './call-spans.js';
import type { Abortable, Job, Stage } from './job.js';
import { cancelledOutcome, doubtOutcome, extrasOf, outcomeOf } from './outcomes.js';

export interface RunLimits {
  /** Times a write whose system takes our key is sent again, and a read whose connection broke. */
  resends_max: number;
  /** Times a system of record that can't be reached is asked. */
  asks_max: number;
  /** How long a tool may take to answer after it was aborted. */
  grace_ms: number;
  /** A read that runs for longer gets a row. */
  long_read_ms: number;
}

/** A call that is to be sent again is looked at again after this, while it is not known whether the lease still holds. */
const UNPROVEN_PAUSE_MS = 20;
const NEVER = Number.POSITIVE_INFINITY;
const OVER: ReadonlySet<Stage> = new Set(['in_doubt', 'detached', 'gone']);
const READ: Recovery = { write: false, takes_key: true, has_reconcile: false, settle_ms: 0, settle_is_final: true };

/** Runs calls that may fire, and finds out what became of those whose answer was lost. */
export class Runs {
  /** Jobs that are looked at again at their `due_ms`. */
  private readonly timed = new Set<Job>();

  onEnd: (job: Job, outcome: Outcome) => void = () => undefined;
  /** To be sent again: it starts again. */
  onResend: (job: Job) => void = () => undefined;
  /** Nothing of it runs any more, although it has no end yet. */
  onIdle: (job: Job) => void = () => undefined;
  onLateResult: (job: Job, outcome: Outcome) => void = () => undefined;
  /** Not fired, because it is not known whether the lease still holds: looked at again once it is. */
  onUnproven: (jobs: readonly Job[]) => void = () => undefined;
  onEvidence: (job: Job, outcome: Outcome) => void = () => undefined;
  /** Something went wrong that nothing foresees; its call was ended. */
  onFault: (job: Job, cause: unknown) => void = () => undefined;
  /** Undefined where nobody looks. */
  observer: RunObserver | undefined;
  /** Hides what the tenant's rules hide. */
  redactor: Pick<Redactor, 'seen'> | undefined;
  /** Has the keys at hand that a result of a sealed call is sealed under. */
  openings: Pick<Openings, 'ready'> | undefined;
  /** An earlier life of this process (now dead) fired what it takes over. */
  ownerDead: (job: Job) => boolean = (job) => job.owner_dead;

  constructor(
    private readonly runtime: ToolRuns,
    private readonly lease: Lease,
    private readonly clock: Clock,
    private readonly limits: RunLimits,
  ) {}

  /** The last step: nothing fires without the lease. */
  fire(jobs: readonly Job[]) {
    if (!this.lease.check()) {
      if (this.lease.unproven) this.onUnproven(jobs);
      return;
    }
    const now_ms = this.clock.now_ms();
    const monotonic_ms = this.clock.monotonic_ms();
    for (const job of jobs) this.run(job, now_ms, monotonic_ms);
  }

  private run(job: Job, now_ms: number, monotonic_ms: number) {
    job.stage = 'running';
    job.aborted = undefined;
    if (job.started_at_ms === 0) job.started_at_ms = now_ms;
    job.fired_at_ms = now_ms;
    job.begin_before_ms = this.lease.begin_before_ms;
    const ends_ms = this.endsBy(job, now_ms);
    job.due_ms = monotonic_ms + Math.max(1, ends_ms - now_ms);
    job.running_since_ms = monotonic_ms;
    this.timed.add(job);
    this.observer?.fired(job);
    this.runtime.run(job, ends_ms, this.done, this.proven);
  }

  /** All attempts of a read share the time of its tool; a write that is sent again to learn what became of it gets it anew. */
  private endsBy(job: Job, now_ms: number): number {
    const timeout_ms = this.runtime.find(job)?.contract.timeout_ms ?? 0;
    if (job.until_ms === 0) job.until_ms = now_ms + timeout_ms;
    return Math.min(job.write ? now_ms + timeout_ms : job.until_ms, job.call.deadline_ms ?? NEVER);
  }

  private readonly proven = () => this.lease.proven();

  private readonly done = (job: Job, run: Abortable, answered: Seen) => {
    try {
      this.take(job, run, answered);
    } catch (cause) {
      this.broken(job, cause);
    }
  };

  private take(job: Job, run: Abortable, answered: Seen) {
    const result = this.redactor?.seen(job, answered) ?? answered;
    crashPoint('executor.after_effect');
    if (job.stage !== 'running' || job.handle !== run) return this.late(job, result);
    const more = job.opened ? this.sealable(job, result) : this.runtime.finish(job, result);
    if (!more) return this.settle(job, result);
    job.stage = 'finishing';
    job.due_ms = NEVER;
    more
      .then((finished) => (job.stage === 'finishing' && job.handle === run ? this.settle(job, finished) : this.late(job, finished)))
      .catch((cause) => this.broken(job, cause));
  }

  /** The last line: whatever goes wrong in taking a result ends its own call, and harms no other. */
  private broken(job: Job, cause: unknown) {
    this.onFault(job, cause);
    if (OVER.has(job.stage)) return;
    try {
      const error = callError('UNKNOWN', 'what came of it could not be recorded');
      const now_ms = this.clock.now_ms();
      if (job.write) this.finish(job, doubtOutcome(job, inDoubt(error), now_ms));
      else this.finish(job, outcomeOf(job, { status: 'failed', error, effect: 'none' }, now_ms));
    } catch (again) {
      this.onFault(job, again);
    }
  }

  private async sealable(job: Job, result: Seen): Promise<Seen> {
    await this.openings?.ready(job, result);
    return (await this.runtime.finish(job, result)) ?? result;
  }

  /** A result after its run was given up, or after its lease was lost. */
  private late(job: Job, result: RunResult) {
    if (result.kind !== 'output') return;
    const outcome = this.succeeded(job, result, job.write && !result.unchanged ? 'happened' : 'none');
    if (job.stage === 'detached') {
      if (job.write) this.onEvidence(job, outcome);
      return;
    }
    const standing = job.stage === 'settling' || job.stage === 'resending' ? 'settling' : job.stage === 'in_doubt' ? 'in_doubt' : 'ended';
    const meaning = lateResult(standing);
    if (meaning === 'end') this.finish(job, outcome);
    else if (meaning === 'resolve') this.onLateResult(job, outcome);
  }

  private settle(job: Job, result: RunResult) {
    const late = job.aborted === 'timeout' && result.kind === 'lost';
    const seen: RunResult = late ? { kind: 'lost', error: callError('TIMEOUT', 'no answer within its time') } : result;
    const now_ms = this.clock.now_ms();
    const meaning = meaningOf(seen, this.runtime.recoveryOf(job) ?? READ, {
      resends: job.resends,
      resends_max: this.limits.resends_max,
      fired_at_ms: job.fired_at_ms,
      now_ms,
      deadline_ms: job.call.deadline_ms,
      until_ms: job.until_ms,
      paused_ms: job.paused_ms,
      random: Math.random(),
      cancelled: job.cancelled,
    });
    this.observer?.answered(job, seen);
    this.act(job, meaning, seen, now_ms);
  }

  private act(job: Job, meaning: Meaning, result: RunResult, now_ms: number) {
    switch (meaning.kind) {
      case 'succeeded':
        return this.finish(job, this.succeeded(job, result as Extract<RunResult, { kind: 'output' }>, meaning.effect));
      case 'failed':
        return this.finish(job, outcomeOf(job, { status: 'failed', error: meaning.error, effect: 'none' }, now_ms));
      case 'cancelled':
        return this.finish(job, cancelledOutcome(job, now_ms));
      case 'in_doubt':
        return this.finish(job, doubtOutcome(job, meaning.error, now_ms));
      case 'resend':
        job.paused_ms = meaning.pause_ms;
        return this.wait(job, 'resending', meaning.at_ms - now_ms);
      case 'reconcile':
        return this.settleAt(job, meaning.at_ms);
    }
  }

  /** The system of record is asked at this time what became of the call. */
  settleAt(job: Job, at_ms: number) {
    this.wait(job, 'settling', at_ms - this.clock.now_ms());
    this.onIdle(job);
  }

  private wait(job: Job, stage: 'resending' | 'settling', in_ms: number) {
    job.stage = stage;
    job.due_ms = this.clock.monotonic_ms() + Math.max(0, in_ms);
    this.timed.add(job);
  }

  private finish(job: Job, outcome: Outcome) {
    this.runtime.complete(job, outcome);
    job.due_ms = NEVER;
    job.inputs = undefined;
    this.timed.delete(job);
    this.onEnd(job, outcome);
  }

  private succeeded(
    job: Job,
    { output_json, truncated, warnings, attachments, extras }: Omit<Extract<Seen, { kind: 'output' }>, 'kind'>,
    effect: 'none' | 'happened',
  ): Outcome {
    return outcomeOf(job, { status: 'succeeded', effect, output_json, truncated, warnings, attachments, extras }, this.clock.now_ms());
  }

  /** Asks the tool to stop; what it did is then found out as after any lost answer. */
  cancel(job: Job) {
    job.handle?.abort('cancelled');
    job.due_ms = Math.min(job.due_ms, this.clock.monotonic_ms() + this.limits.grace_ms);
    job.aborted ??= 'cancelled';
  }

  /** Its lease is lost, or its end came from elsewhere: destroy what runs. */
  drop(job: Job, reason: 'lease_lost' | 'closing') {
    this.timed.delete(job);
    job.handle?.abort(reason);
  }

  /** Everything whose time has come. Returns reads that run for long and have no row. */
  tick(): Job[] {
    const now = this.clock.monotonic_ms();
    const longReads: Job[] = [];
    for (const job of this.timed) {
      if (job.due_ms <= now) {
        try {
          this.due(job, now);
        } catch (cause) {
          this.broken(job, cause);
        }
      } else if (job.stage === 'running' && !job.write && !job.has_row && now - job.running_since_ms > this.limits.long_read_ms)
        longReads.push(job);
    }
    return longReads;
  }

  private due(job: Job, now: number) {
    job.due_ms = NEVER;
    if (job.stage === 'running') {
      if (job.aborted === undefined) {
        job.aborted = 'timeout';
        job.due_ms = now + this.limits.grace_ms;
        job.handle?.abort('timeout');
      } else this.giveUp(job);
    } else if (job.stage === 'resending') {
      if (this.lease.unproven) {
        job.due_ms = now + UNPROVEN_PAUSE_MS;
        return;
      }
      this.timed.delete(job);
      job.resends++;
      if (job.write) this.onResend(job);
      else this.fire([job]);
    } else if (job.stage === 'settling') this.ask(job).catch((cause) => this.broken(job, cause));
  }

  private giveUp(job: Job) {
    const cancelled = job.aborted === 'cancelled';
    this.settle(job, {
      kind: 'lost',
      error: callError(cancelled ? 'CANCELLED' : 'TIMEOUT', cancelled ? 'cancelled while it ran' : 'no answer within its time'),
    });
  }

  private async ask(job: Job): Promise<void> {
    const answer = await this.runtime.reconcile(job, this.clock.now_ms());
    const held = await this.lease.proven();
    if (job.stage !== 'settling' || !held) return;
    const now_ms = this.clock.now_ms();
    const next = afterReconcile(answer, {
      asked: job.asked,
      asks_max: this.limits.asks_max,
      owner_dead: this.ownerDead(job),
      settle_is_final: this.runtime.recoveryOf(job)?.settle_is_final ?? false,
      now_ms,
    });
    job.asked++;
    switch (next.kind) {
      case 'succeeded':
        return this.finish(job, this.succeeded(job, { ...next, extras: extrasOf({ verified: true }) }, 'happened'));
      case 'failed':
        return this.finish(
          job,
          outcomeOf(job, { status: job.cancelled ? 'cancelled' : 'failed', error: next.error, effect: 'none' }, now_ms),
        );
      case 'in_doubt':
        return this.finish(job, doubtOutcome(job, next.error, now_ms));
      case 'ask_again':
        return this.wait(job, 'settling', next.at_ms - now_ms);
    }
  }
}
