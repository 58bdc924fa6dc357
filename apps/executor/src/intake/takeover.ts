import { type ClaimedKey, laneTopic, type Outcome } from '@countersign/contracts';
import { afterTakeover, type CallEvent } from '@countersign/domain';
import type { BatchDecoder, EventLog } from '@countersign/event-log';
import type { Clock, Logger } from '@countersign/process';
import { isKnownDead } from '@countersign/runtimes';
import type { Arbiter, OrphanRow } from '../arbiter/arbiter.js';
import { jobOf } from '../calls/authorised.js';
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

/** A system may forget an idempotency key after a day, so nothing is sent again later than that. */
const RESEND_WITHIN_MS = 24 * 3_600_000;

/** Where decisions and their records are read. */
export interface Sources {
  log: EventLog;
  decoder: BatchDecoder;
  reader: EndsReader;
}

/** Dependencies of a takeover. */
export interface TakeoverParts {
  lease: Lease;
  gate: PreExecutionGate;
  runtime: ToolRuns;
  decryptor: PersonalDataDecryptor;
  clock: Clock;
  logger: Logger;
}

/** Finds calls whose executor lost its lease, and takes a safe action for each, without guessing. */
export class Takeover {
  constructor(
    private readonly arbiter: Arbiter,
    private readonly sources: Sources,
    private readonly partitions: Partitions,
    private readonly parts: TakeoverParts,
  ) {}

  /** Takes over calls one by one: the effect of each is applied before the next is taken. */
  async *sweep(): AsyncGenerator<JobEvent> {
    await this.arbiter.fenceExpired(this.parts.lease.epoch);
    for (const partition of this.partitions.assigned()) yield* this.sweepPartition(partition);
  }

  private async *sweepPartition(partition: Partition): AsyncGenerator<JobEvent> {
    const rows = await this.arbiter.orphans(partition.number);
    if (rows.length === 0) return;
    yield* await this.sources.reader.catchUp(partition);
    const open = rows.filter((row) => !this.sources.reader.awaitsOwnEnd(row.call_id) && !this.foldsEnd(partition, row));
    if (open.length === 0) return;
    const { epoch } = this.parts.lease;
    const taken = await this.arbiter.takeOver(epoch, open);
    if (taken.length > 0)
      this.parts.logger.warn(
        { event: 'calls_taken_over', lane: partition.lane, partition: partition.number, calls: taken.length, epoch },
        'took over the calls of an executor that lost its lease',
      );
    for (const row of taken) yield* await this.resume(partition, row, epoch);
  }

  /** True if its call has ended, perhaps without this row: the row is set to that end, so that its key is free. */
  private foldsEnd(partition: Partition, { key, attempt, call_id }: OrphanRow): boolean {
    const end = partition.endOf(call_id);
    if (end) this.partitions.foldLater({ key, attempt, secondary_key: null }, { call_id, ...end, resources: 'of_row' });
    return end !== undefined;
  }

  private async resume(partition: Partition, row: OrphanRow, epoch: number): Promise<JobEvent[]> {
    const job = await this.jobOfRow(row);
    if (job === 'not_on_record') return this.forget(partition, row, epoch);
    if (!job) {
      this.parts.logger.error(
        { event: 'taken_over_decision_unreadable', call_id: row.call_id, source: row.source },
        'the decision record of a call taken over cannot be read',
      );
      return [];
    }
    if (job.key !== row.key) return [];
    const { secondary_key } = job.authorised;
    if (secondary_key) job.secondary_key = await this.claimedSecondary(secondary_key, row.call_id);
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

  /** The second key of a call with edited inputs, if its row was claimed too. */
  private async claimedSecondary(key: ClaimedKey, call_id: string): Promise<ClaimedKey | null> {
    const rows = (await this.arbiter.rowsOf([key.idempotency_key])).get(key.idempotency_key) ?? [];
    const mine = rows.find((row) => row.call_id === call_id);
    return mine ? { ...key, attempt: mine.attempt } : null;
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

  private async jobOfRow(row: OrphanRow): Promise<Job | 'not_on_record' | undefined> {
    const { log, decoder } = this.sources;
    const topic = laneTopic(row.source.topic, row.lane);
    if ((await log.head(topic, row.partition)) <= row.source.offset) return 'not_on_record';
    const records = await log.read(topic, row.partition, row.source.offset, 1);
    const [event] = (await decoder.decode(records.slice(0, 1))).events;
    if (!event) return undefined;
    const job = jobOf(event);
    if (job?.call_id !== row.call_id) return 'not_on_record';
    if (job.call.sealed) job.opened = await this.parts.decryptor.open(job);
    return job;
  }
}

function ended(job: Job, outcome: Outcome): 'adopted_to_end' {
  job.verdict = { kind: 'ended', outcome };
  return 'adopted_to_end';
}
