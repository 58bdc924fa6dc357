import { callError, type Outcome } from '@countersign/contracts';
import { tooLate } from '@countersign/domain';
import type { Clock } from '@countersign/process';
import type { Judge } from '../judging/judge.js';
import type { Openings } from '../personal/openings.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { Job } from './job.js';
import { outcomeOf, refusedOutcome } from './outcomes.js';

export interface FirstFireSteps {
  fire(jobs: readonly Job[]): void;
  /** It ends without having fired, although its start may be on the log. */
  refused(job: Job, outcome: Outcome): void;
}

/** Judged this short a time ago by the same configuration, a call is not judged once more: only rules with a clock could tell it apart. */
const FRESH_MS = 1000;

/**
 * Stands between a start that is durable and the effect. A start may take long to get onto the log: its ruling may have run
 * out by then, or policy become stricter. While this process has not heard of policy lately nothing passes: it is held here
 * until it has, or until it is too late or cancelled.
 */
export class FirstFires {
  private readonly held = new Set<Job>();
  steps!: FirstFireSteps;

  constructor(
    private readonly judge: Judge,
    private readonly parts: { runtime: ToolRuns; openings: Pick<Openings, 'isErased'> },
    private readonly clock: Clock,
  ) {}

  take(jobs: readonly Job[]): void {
    if (this.judge.silent) this.hold(jobs);
    else this.look(jobs);
  }

  /** They are looked at again by `tick`, before they fire. */
  hold(jobs: readonly Job[]): void {
    for (const job of jobs) {
      job.stage = 'starting';
      this.held.add(job);
    }
  }

  /** Looks again at what is held. */
  tick(): void {
    if (this.held.size === 0) return;
    const { silent } = this.judge;
    const now_ms = this.clock.now_ms();
    const due = [...this.held].filter((job) => !silent || job.stage !== 'starting' || (job.resends === 0 && this.late(job, now_ms)));
    for (const job of due) this.held.delete(job);
    this.look(due.filter((job) => job.stage === 'starting'));
  }

  /** What is sent again may have happened: only what never fired can end without an effect. */
  private look(jobs: readonly Job[]): void {
    const now_ms = this.clock.now_ms();
    const firing: Job[] = [];
    for (const job of jobs) {
      const refusal = job.resends === 0 ? this.changed(job, now_ms) : undefined;
      if (refusal) this.steps.refused(job, refusal);
      else firing.push(job);
    }
    if (firing.length > 0) this.steps.fire(firing);
  }

  /** In time is asked of every call; policy only where its answer may have changed since. */
  private changed(job: Job, now_ms: number): Outcome | undefined {
    const fresh = job.judged_position === this.judge.position && now_ms - job.judged_at_ms < FRESH_MS;
    return fresh && !this.late(job, now_ms) ? undefined : this.refusalOf(job);
  }

  private late(job: Job, now_ms: number): 'cancelled' | 'expired' | 'deadline' | null {
    if (job.cancelled) return 'cancelled';
    return tooLate({ execute_before_ms: job.authorised.execute_before_ms, deadline_ms: job.call.deadline_ms }, now_ms);
  }

  /** The end of a call that has not fired and may not any more, by all that is known now. */
  refusalOf(job: Job): Outcome | undefined {
    const now_ms = this.clock.now_ms();
    const late = this.late(job, now_ms);
    if (late) return refusedOutcome(job, late, [], now_ms);
    if (this.parts.openings.isErased(job)) return refusedOutcome(job, 'erased', [], now_ms);
    const unrunnable = this.parts.runtime.unrunnable(job);
    if (unrunnable) return refusedOutcome(job, unrunnable.why, unrunnable.issues, now_ms);
    if (this.judge.judgeNoted(job, now_ms).kind === 'allowed') return undefined;
    const error = callError('POLICY_DENIED', 'policy is stricter now than when it ruled; nothing was done');
    return outcomeOf(job, { status: 'failed', error, effect: 'none' }, now_ms);
  }
}
