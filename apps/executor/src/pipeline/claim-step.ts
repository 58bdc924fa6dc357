import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEvent } from '@countersign/domain';
import type { Clock } from '@countersign/process';
import type { Job } from '../calls/job.js';
import { refusedOutcome } from '../calls/outcomes.js';
import type { Claims } from '../claims/claims.js';
import type { EarlierAnswers } from '../claims/earlier-answers.js';
import type { Lease } from '../lease/lease.js';
import type { ProgressWriter } from '../partitions/progress-writer.js';

const LOOK_AGAIN_MS = 250;

/** Gets the row of a call, or the answer of the call that holds it. */
export class ClaimStep {
  constructor(
    private readonly claims: Claims,
    private readonly answers: EarlierAnswers,
    private readonly progress: ProgressWriter,
    private readonly lease: Lease,
    private readonly clock: Clock,
  ) {}

  claim(job: Job): Promise<CallEvent | undefined> {
    return this.claims.claim(job);
  }

  /** A claim won under an epoch is started under that epoch, or left to the process that takes over the rows of the epoch. */
  confirmLease(job: Job): CallEvent | Promise<CallEvent> {
    if (!this.lease.unproven) return this.confirmed(job, this.lease.check());
    return this.lease.proven().then((held) => this.confirmed(job, held));
  }

  private confirmed(job: Job, held: boolean): CallEvent {
    if (!held || this.lease.epoch !== job.epoch) return 'lease_missing';
    if (!job.refusal) return 'lease_confirmed';
    const { why, issues } = job.refusal;
    job.verdict = { kind: 'ended', outcome: refusedOutcome(job, why, issues, this.clock.now_ms()) };
    return 'tombstone_confirmed';
  }

  /** The previous attempt must be released in its row before the next one can claim its own. */
  async foldThenClaim(): Promise<CallEvent> {
    await this.progress.write().catch(() => undefined);
    return 'retry_due';
  }

  /**
   * The call that holds the key of the edited inputs belongs to another partition, whose ends this process may not read: its row shows
   * them.
   */
  async pauseThenClaim(): Promise<CallEvent> {
    await sleep(LOOK_AGAIN_MS, undefined, { ref: false });
    return 'pause_over';
  }

  readAnswer(job: Job): Promise<CallEvent | undefined> {
    return this.answers.read(job);
  }

  /** The policy service reads the rows when it decides again: local ends must be in them by then. */
  fold(job: Job): Promise<CallEvent> {
    return this.progress.write().then(
      () => this.answers.staleAnswer(job),
      () => 'fold_failed',
    );
  }
}
