import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoint, isInfrastructureFault } from '@countersign/contracts';
import type { CallEvent } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Arbiter, Claim } from '../arbiter/arbiter.js';
import type { Job } from '../calls/job.js';
import type { Lease } from '../lease/lease.js';
import type { Partitions } from '../partitions/partitions.js';
import type { ClaimConflicts } from './claim-conflicts.js';

const BATCH_MAX = 500;
const PAUSE_MS = 100;

interface Pending {
  job: Job;
  answer: (event: CallEvent | undefined) => void;
}

/** Dependencies of claims. */
export interface ClaimParts {
  arbiter: Arbiter;
  lease: Lease;
  conflicts: ClaimConflicts;
  logger: Logger;
}

/** A joined call only needs an answer: it claims nothing unless it leaves a tombstone. */
const onlyLooks = (job: Job): boolean => job.authorised.joined_call_id !== null && !job.refusal;

/** Batches claims: the next batch forms while a statement runs. */
export class Claims {
  private pending: Pending[] = [];
  private busy = false;

  constructor(
    private readonly parts: ClaimParts,
    private readonly partitions: Partitions,
  ) {}

  /** Claims the row of a job, or only reads the rows of its key if it may only be answered. */
  claim(job: Job): Promise<CallEvent | undefined> {
    return new Promise((answer) => {
      this.pending.push({ job, answer });
      this.flush();
    });
  }

  /** Claims the jobs of all partitions of this turn together. */
  private flush(): void {
    if (this.busy || this.pending.length === 0) return;
    this.busy = true;
    setImmediate(() => {
      void this.run(this.pending.splice(0, BATCH_MAX)).finally(() => {
        this.busy = false;
        this.flush();
      });
    });
  }

  /** Writes rows for long reads, so that the records before them become history. */
  async keepReading(jobs: readonly Job[]): Promise<void> {
    const { arbiter, lease } = this.parts;
    const { epoch } = lease;
    for (const job of await arbiter.claim(
      epoch,
      jobs.map((job) => ({ job, attempt: 1, state: 'reading' })),
    )) {
      job.has_row = true;
      job.epoch = epoch;
      this.partitions.acknowledge(job);
    }
  }

  private async run(batch: readonly Pending[]): Promise<void> {
    const { lease, logger } = this.parts;
    for (;;) {
      if (!lease.check() && !(await lease.proven())) {
        for (const { answer } of batch) answer('lease_missing');
        return;
      }
      try {
        return await this.settle(batch);
      } catch (error) {
        if (!isInfrastructureFault(error))
          logger.error({ event: 'claim_failed', cause: error instanceof Error ? error.stack : String(error) }, 'claim failed');
        else logger.warn({ event: 'claim_retried', cause: String(error) }, 'claim failed; retrying');
        await sleep(PAUSE_MS);
      }
    }
  }

  private async settle(all: readonly Pending[]): Promise<void> {
    const { lease, arbiter, conflicts } = this.parts;
    const { epoch } = lease;
    const batch = this.own(all);
    const claims: Claim[] = [];
    for (const { job } of batch)
      if (!onlyLooks(job)) claims.push({ job, attempt: job.attempt, state: job.refusal ? 'released' : 'running' });
    crashPoint('executor.before_claim');
    const won = claims.length > 0 ? await this.claimAll(epoch, claims) : new Set<Job>();
    crashPoint('executor.after_claim');
    for (const { job, answer } of batch) {
      if (!won.has(job)) continue;
      job.epoch = epoch;
      job.claimed = true;
      answer('claim_won');
    }
    const lost = won.size === batch.length ? [] : batch.filter(({ job }) => !won.has(job));
    if (lost.length === 0) return;
    const rows = await arbiter.rowsOf(lost.map(({ job }) => job.key));
    for (const { job, answer } of lost)
      answer(job.stage === 'claiming' ? conflicts.decide(job, rows.get(job.key) ?? [], epoch) : undefined);
  }

  /** The jobs that may still be claimed here; responds to the others. */
  private own(all: readonly Pending[]): Pending[] {
    return all.filter(({ job, answer }) => {
      if (job.stage !== 'claiming') return false;
      const event = this.notOurs(job);
      if (event) answer(event);
      return !event;
    });
  }

  /**
   * A call whose partition moved to another executor is left to it, because it may have ended the call without a row. Exception: the row
   * may already be claimed here. A call that is known to have ended is not claimed.
   */
  private notOurs(job: Job): 'not_owner' | 'owned_elsewhere' | undefined {
    if (job.unanswered_epoch !== null) return undefined;
    const partition = this.partitions.of(job);
    if (!partition.assigned) return 'not_owner';
    return !job.refusal && partition.isClosed(job.call_id, job.authorised.revision) ? 'owned_elsewhere' : undefined;
  }

  private async claimAll(epoch: number, claims: readonly Claim[]): Promise<ReadonlySet<Job>> {
    try {
      return await this.parts.arbiter.claim(epoch, claims);
    } catch (error) {
      for (const { job } of claims) job.unanswered_epoch = epoch;
      throw error;
    }
  }
}
