import type { Outcome } from '@countersign/contracts';
import { afterTakeover, type CallEvent } from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import { isKnownDead } from '@countersign/runtimes';
import type { Arbiter, OrphanRow } from '../arbiter/arbiter.js';
import type { Job } from '../calls/job.js';
import type { JobEvent } from '../calls/job-event.js';
import { doubtOutcome } from '../calls/outcomes.js';
import type { PreExecutionGate } from '../judging/pre-execution-gate.js';
import type { Lease } from '../lease/lease.js';
import type { EndsReader } from '../partitions/ends-reader.js';
import type { Partition, Start } from '../partitions/partition.js';
import type { Partitions } from '../partitions/partitions.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { OrphanJob, OrphanJobs } from './orphan-jobs.js';

/** A system may forget an idempotency key after a day, so nothing is sent again later than that. */
const RESEND_WITHIN_MS = 24 * 3_600_000;

/** Dependencies of a takeover. */
export interface TakeoverParts {
  lease: Lease;
  gate: PreExecutionGate;
  runtime: ToolRuns;
  decryptor: PersonalDataDecryptor;
  clock: Clock;
  logger: Logger;
}

/** Rows whose takeover is not complete: the store has them under this epoch, or still under the one of their lost owner. */
interface Unfinished {
  epoch: number;
  rows: readonly OrphanRow[];
}

/** Finds calls whose executor lost its lease, and takes a safe action for each, without guessing. */
export class Takeover {
  /** By number of the partition. */
  private readonly unfinished = new Map<number, Unfinished>();

  constructor(
    private readonly arbiter: Arbiter,
    private readonly reader: Pick<EndsReader, 'catchUp' | 'awaitsOwnEnd'>,
    private readonly jobs: OrphanJobs,
    private readonly partitions: Partitions,
    private readonly parts: TakeoverParts,
  ) {}

  /** Takes over calls one by one: the effect of each is applied before the next is taken. */
  async *sweep(): AsyncGenerator<JobEvent> {
    await this.arbiter.fenceExpired(this.parts.lease.epoch);
    for (const partition of this.partitions.assigned()) yield* this.sweepPartition(partition);
  }

  private async *sweepPartition(partition: Partition): AsyncGenerator<JobEvent> {
    const rows = await this.rowsOf(partition);
    if (rows.length === 0) return;
    yield* await this.reader.catchUp(partition);
    const open = rows.filter((row) => !this.reader.awaitsOwnEnd(row.call_id) && !this.foldsEnd(partition, row));
    if (open.length === 0) return;
    const jobs = await this.jobs.of(open);
    const { epoch } = this.parts.lease;
    const taken = await this.taken(partition, [...jobs.keys()], epoch);
    for (const [at, row] of taken.entries()) {
      // Without the lease the row is another executor's, or is found again.
      if (!(await this.parts.lease.provenUnder(epoch))) return;
      yield* await this.resume(partition, row, jobs.get(row)).catch((cause: unknown) => {
        this.unfinished.set(partition.number, { epoch, rows: [...taken.slice(at), ...this.unfinishedOf(partition, epoch)] });
        throw cause;
      });
    }
  }

  /** Orphans, and rows that this epoch may own already because the answer to their takeover was lost. */
  private async rowsOf(partition: Partition): Promise<OrphanRow[]> {
    const orphans = await this.arbiter.orphans(partition.number);
    const isOrphan = ({ key, attempt }: OrphanRow) => orphans.some((row) => row.key === key && row.attempt === attempt);
    return [...orphans, ...this.unfinishedOf(partition, this.parts.lease.epoch).filter((row) => !isOrphan(row))];
  }

  /** Those of an earlier epoch are orphans again. */
  private unfinishedOf({ number }: Partition, epoch: number): readonly OrphanRow[] {
    const unfinished = this.unfinished.get(number);
    return unfinished?.epoch === epoch ? unfinished.rows : [];
  }

  /** The rows that this epoch owns now. */
  private async taken(partition: Partition, rows: readonly OrphanRow[], epoch: number): Promise<readonly OrphanRow[]> {
    const before = this.unfinishedOf(partition, epoch);
    const left = before.filter((row) => !rows.includes(row));
    const expected = rows.map((row) => (before.includes(row) ? { ...row, epoch } : row));
    this.unfinished.set(partition.number, { epoch, rows: [...rows, ...left] });
    const owned = await this.arbiter.takeOver(epoch, expected);
    this.unfinished.set(partition.number, { epoch, rows: left });
    const taken = rows.filter((_, at) => owned.includes(expected[at] as OrphanRow));
    if (taken.length > 0)
      this.parts.logger.warn(
        { event: 'calls_taken_over', lane: partition.lane, partition: partition.number, calls: taken.length, epoch },
        'took over the calls of an executor that lost its lease',
      );
    return taken;
  }

  /** True if its call has ended, perhaps without this row: the row is set to that end, so that its key is free. */
  private foldsEnd(partition: Partition, row: OrphanRow): boolean {
    const { key, attempt, call_id } = row;
    const end = partition.endOf(call_id);
    if (!end) return false;
    this.partitions.foldLater({ key, attempt, secondary_key: null }, { call_id, ...end, resources: 'of_row' });
    const unfinished = this.unfinished.get(partition.number);
    if (unfinished) this.unfinished.set(partition.number, { ...unfinished, rows: unfinished.rows.filter((each) => each !== row) });
    return true;
  }

  /** Nothing else is awaited between the check of the lease and the adoption. */
  private async resume(partition: Partition, row: OrphanRow, job: OrphanJob): Promise<JobEvent[]> {
    const { epoch } = this.parts.lease;
    if (job === 'not_on_record') return this.forget(partition, row, epoch);
    if (!job) {
      this.parts.logger.error(
        { event: 'taken_over_decision_unreadable', call_id: row.call_id, source: row.source },
        'the decision record of a call taken over cannot be read',
      );
      return [];
    }
    if (job.key !== row.key) return [];
    this.inherit(job, row, partition, epoch);
    const event = this.decide(job, row, partition.starts.get(row.call_id));
    return event ? [{ job, event }] : [];
  }

  /** Copies the data of its row and its start record to the job. */
  private inherit(job: Job, row: OrphanRow, partition: Partition, epoch: number): void {
    const started = partition.starts.get(row.call_id);
    job.attempt = row.attempt;
    // Epochs are not ordered by ownership: an older executor may outlive a newer one. What it writes must not look stale.
    job.epoch = Math.max(epoch, row.epoch, started?.epoch ?? 0);
    job.claimed = true;
    job.has_row = true;
    job.resources = row.resources;
    // A child process may outlive the executor that started it.
    job.owner_dead = this.parts.lease.ownerDead(row.epoch) && (!started?.process || isKnownDead(started.process));
    job.cancelled = partition.cancelled.has(row.call_id);
    job.started_at_ms = started?.fired_at_ms ?? 0;
    job.fired_at_ms = started?.fired_at_ms ?? 0;
  }

  private decide(job: Job, row: OrphanRow, started: Start | undefined): CallEvent | undefined {
    const now_ms = this.parts.clock.now_ms();
    const decision = afterTakeover({
      state: row.state,
      started: started !== undefined,
      ended: false,
      recovery: this.parts.runtime.recoveryOf(job),
      resend_before_ms: (started?.fired_at_ms ?? 0) + RESEND_WITHIN_MS,
      now_ms,
    });
    switch (decision.kind) {
      case 'fold_end':
        return undefined;
      case 'fire':
        return this.unlessRefused(job, 'adopted_to_start');
      case 'read_again':
        return this.unlessRefused(job, 'adopted_to_fire');
      case 'resend':
        if (this.parts.decryptor.isErased(job)) return ended(job, doubtOutcome(job, null, now_ms));
        job.resends++;
        job.maybe_happened = true;
        return 'adopted_to_start';
      case 'reconcile':
        // A call whose data is erased cannot be reconciled.
        if (this.parts.decryptor.isErased(job)) return ended(job, doubtOutcome(job, null, now_ms));
        job.retry_at_ms = decision.at_ms;
        return 'adopted_to_settle';
      case 'in_doubt':
        return ended(job, doubtOutcome(job, decision.error, now_ms));
    }
  }

  /** It never ran: it may run now if it is still authorized. */
  private unlessRefused(job: Job, event: CallEvent): CallEvent {
    const refusal = this.parts.gate.refusalOf(job);
    return refusal ? ended(job, refusal) : event;
  }

  /**
   * In embedded mode a claim may survive a kill although its decision was not synced: the offset of the decision is then free or holds
   * another record. The call never ran, because its start is synced after its decision, and no caller got an answer. So this deletes the
   * row, and its key is free for waiting calls.
   */
  private async forget(partition: Partition, row: OrphanRow, epoch: number): Promise<JobEvent[]> {
    await this.arbiter.forget(epoch, row);
    this.parts.logger.warn(
      { event: 'claim_without_decision_removed', call_id: row.call_id, source: row.source },
      'removed a claim whose decision is not on the log',
    );
    const waiting = partition.awaiting_remote_outcome.get(row.call_id) ?? [];
    partition.awaiting_remote_outcome.delete(row.call_id);
    return waiting.map((job) => ({ job, event: 'leader_left' }));
  }
}

function ended(job: Job, outcome: Outcome): 'adopted_to_end' {
  job.verdict = { kind: 'ended', outcome };
  return 'adopted_to_end';
}
