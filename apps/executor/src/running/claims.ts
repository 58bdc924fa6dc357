import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoint, isInfrastructureFault } from '@countersign/contracts';
import type { Execution } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Lease } from '../lease/lease.js';
import type { Arbiter, Claim } from './arbiter.js';
import type { Job } from './job.js';

const BATCH_MAX = 500;
const PAUSE_MS = 100;

/** Claims in batches: one statement runs, the next batch forms meanwhile. */
export class Claims {
  private pending: Job[] = [];
  private busy = false;

  onWon: (jobs: readonly Job[]) => void = () => undefined;
  /** The rows of the key of a claim that did not win, or of a call that only looks. */
  onLost: (job: Job, rows: readonly Execution[]) => void = () => undefined;
  /** Nothing was claimed, because the lease is gone. */
  onUnclaimed: (jobs: readonly Job[]) => void = () => undefined;

  constructor(
    private readonly arbiter: Arbiter,
    private readonly lease: Lease,
    private readonly logger: Logger,
  ) {}

  add(job: Job): void {
    job.stage = job.authorised.joined_call_id === null || job.refusal ? 'claiming' : 'looking_up';
    this.pending.push(job);
  }

  /** What the partitions of one fetch bring in this turn is claimed together. */
  flush(): void {
    if (this.busy || this.pending.length === 0) return;
    this.busy = true;
    setImmediate(() => {
      void this.run(this.pending.splice(0, BATCH_MAX)).finally(() => {
        this.busy = false;
        this.flush();
      });
    });
  }

  /** Long reads get a row, so that what came before them is history. */
  async keepReading(jobs: readonly Job[]): Promise<ReadonlySet<Job>> {
    return this.arbiter.claim(
      this.lease.epoch,
      jobs.map((job) => ({ job, attempt: 1, state: 'reading' })),
    );
  }

  private async run(batch: readonly Job[]): Promise<void> {
    for (;;) {
      if (!this.lease.check() && !(await this.lease.proven())) return this.onUnclaimed(batch);
      try {
        return await this.settle(batch);
      } catch (error) {
        if (!isInfrastructureFault(error))
          this.logger.error({ cause: error instanceof Error ? error.stack : String(error) }, 'claim failed');
        else this.logger.warn({ cause: String(error) }, 'claim failed; tried again');
        await sleep(PAUSE_MS);
      }
    }
  }

  private async settle(all: readonly Job[]): Promise<void> {
    const epoch = this.lease.epoch;
    const batch = all.filter((job) => job.stage === 'claiming' || job.stage === 'looking_up');
    const claims: Claim[] = [];
    for (const job of batch)
      if (job.stage === 'claiming') claims.push({ job, attempt: job.attempt, state: job.refusal ? 'released' : 'running' });
    crashPoint('executor.before_claim');
    const won = claims.length > 0 ? await this.claim(epoch, claims) : new Set<Job>();
    crashPoint('executor.after_claim');
    for (const job of won) {
      job.epoch = epoch;
      job.claimed = true;
    }
    // What is won under an epoch is started under it, or left to whoever takes the epoch's rows over.
    if (!this.lease.check()) await this.lease.proven();
    if (won.size > 0) this.onWon([...won]);
    const lost = won.size === batch.length ? [] : batch.filter((job) => !won.has(job));
    const rows = lost.length > 0 ? await this.arbiter.rowsOf(lost.map((job) => job.key)) : undefined;
    for (const job of lost) if (job.stage !== 'gone') this.onLost(job, rows?.get(job.key) ?? []);
  }

  private async claim(epoch: number, claims: readonly Claim[]): Promise<ReadonlySet<Job>> {
    try {
      return await this.arbiter.claim(epoch, claims);
    } catch (error) {
      for (const { job } of claims) job.unanswered_epoch = epoch;
      throw error;
    }
  }
}
