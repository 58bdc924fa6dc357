import { crashPoint, isKeyOfRequest, type Outcome } from '@countersign/contracts';
import { type CallEvent, compensationOf, lateEnd, stateAfter } from '@countersign/domain';
import { endedOn } from '@countersign/store';
import type { FoldedEnd } from '../arbiter/arbiter.js';
import { Ending, type EndRecord } from '../calls/ending.js';
import type { InFlightCalls } from '../calls/in-flight-calls.js';
import type { Job } from '../calls/job.js';
import { compensated } from '../calls/undone-effect.js';
import type { EarlierAnswer, Verdict } from '../calls/verdict.js';
import type { Judge } from '../judging/judge.js';
import type { Lease } from '../lease/lease.js';
import type { Partitions } from '../partitions/partitions.js';
import type { Appender } from './appender.js';
import type { EventWriter } from './event-writer.js';
import type { RecordedEnds } from './recorded-ends.js';

/** Without a lease no call is ended; delay until the next check. */
const PAUSE_MS = 50;
const FOR_GOOD = Number.POSITIVE_INFINITY;

interface Pending {
  job: Job;
  ending: Ending;
}

/** Dependencies for writing ends. */
export interface OutcomeRecorderParts {
  writer: EventWriter;
  appender: Appender;
  lease: Lease;
  judge: Judge;
  recorded: RecordedEnds;
}

/** Appends ends to the log, all of a turn together, and notes them once they are durable. */
export class OutcomeRecorder {
  private pending: Pending[] = [];
  private scheduled = false;
  private in_flight = 0;

  constructor(
    private readonly parts: OutcomeRecorderParts,
    private readonly partitions: Partitions,
    private readonly open: InFlightCalls,
  ) {}

  /** Number of ends that are not durable yet. */
  get outstanding(): number {
    return this.pending.length + this.in_flight;
  }

  /**
   * Appends its end with the others of this turn. A repeat has no row that shows who may end it, so only the owner of its partition does:
   * its decision stays open here, and the next owner reads it again.
   */
  write(job: Job): void {
    const verdict = job.verdict as Verdict;
    job.ending = undefined;
    if (verdict.kind === 'answered' && !this.partitions.of(job).assigned) return;
    const ending = new Ending(this.endOf(job, verdict));
    job.ending = ending;
    this.pending.push({ job, ending });
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  /** Whether its end was sent to the log. */
  sent(job: Job): CallEvent | Promise<CallEvent> {
    return job.ending?.sent ?? 'not_owner';
  }

  /** The result of the append. */
  durable(job: Job): Promise<CallEvent> {
    return (job.ending as Ending).written;
  }

  /** A result of an epoch that lost its lease: recorded only as evidence. */
  async evidence(job: Job, outcome: Outcome): Promise<void> {
    await this.parts.appender.append([this.parts.writer.executed(job, outcome)], async () => true);
  }

  private endOf(job: Job, verdict: Verdict): EndRecord {
    const { writer, judge } = this.parts;
    const again = { outcome: undefined, state: undefined, revision: job.authorised.revision };
    switch (verdict.kind) {
      case 'ended':
        return this.ofOutcome(job, verdict.outcome);
      case 'answered':
        return this.ofAnswer(job, verdict.earlier);
      case 'stricter':
        return { record: writer.rejudged(job, verdict.ruling, judge.configOffset), ...again };
      case 'answer_gone':
        return { record: writer.staleAnswer(job, verdict.tier, judge.configOffset), ...again };
    }
  }

  private ofOutcome(job: Job, outcome: Outcome): EndRecord {
    if (job.epoch === 0) job.epoch = this.parts.lease.epoch;
    const record = outcome.status === 'in_doubt' ? this.parts.writer.inDoubt(job, outcome) : this.parts.writer.executed(job, outcome);
    return { record, outcome, state: stateAfter(outcome), revision: FOR_GOOD };
  }

  private ofAnswer(job: Job, earlier: EarlierAnswer): EndRecord {
    job.attempt = earlier.attempt;
    return { record: this.parts.writer.deduplicated(job, earlier), outcome: earlier.outcome, state: undefined, revision: FOR_GOOD };
  }

  /**
   * A call without its own row may have been ended by another executor, or by this one before its lease was lost. Only the owner of the
   * partition may record that another call answers it, or that the policy service must decide again.
   */
  private notOurs({ job, ending }: Pending): 'recorded_elsewhere' | 'not_owner' | undefined {
    if (job.write ? job.claimed : job.has_row) return undefined;
    const partition = this.partitions.of(job);
    if (partition.isClosed(job.call_id, ending.end.revision)) return 'recorded_elsewhere';
    return ending.end.state === undefined && !partition.assigned ? 'not_owner' : undefined;
  }

  private isOurs(pending: Pending): boolean {
    const event = this.notOurs(pending);
    if (event) pending.ending.isSent(event);
    return !event;
  }

  private flush(): void {
    this.pending = this.pending.filter((each) => each.job.ending === each.ending && each.job.stage === 'ending' && this.isOurs(each));
    if (this.pending.length > 0 && !this.parts.lease.check()) {
      setTimeout(() => this.flush(), PAUSE_MS).unref();
      return;
    }
    this.scheduled = false;
    const endings = this.pending.splice(0);
    if (endings.length > 0) void this.append(endings);
  }

  /** Under another epoch than the current one they are not sent again. */
  private async append(endings: readonly Pending[]): Promise<void> {
    const { lease, appender } = this.parts;
    const { epoch } = lease;
    const records = endings.map(({ ending }) => ending.end.record);
    this.in_flight += endings.length;
    for (const { ending } of endings) ending.isSent('end_sent');
    try {
      const offsets = await appender.append(records, () => lease.provenUnder(epoch));
      if (!offsets) {
        for (const { ending } of endings) ending.notWritten();
        return;
      }
      crashPoint('executor.after_end');
      for (const [at, { job, ending }] of endings.entries()) {
        this.partitions.of(job).wrote(offsets[at] as number);
        ending.recorded(offsets[at] as number);
      }
      this.parts.recorded.publish(records, offsets);
    } finally {
      this.in_flight -= endings.length;
    }
  }

  /** Passes its durable end to its partition, its row and later calls of its key. */
  book(job: Job): void {
    const { end, end_offset } = job.ending as Ending & { end_offset: number };
    const { outcome, state, revision } = end;
    const partition = this.partitions.of(job);
    const started_epoch = partition.starts.get(job.call_id)?.epoch ?? null;
    // Its lease was lost and another start followed: the end is only evidence.
    if (job.epoch > 0 && lateEnd({ state: 'running', started_epoch }, job).kind === 'nothing') return;
    const ended_at_ms = outcome?.ended_at_ms ?? 0;
    const ownsRow = outcome && state && (job.write ? job.epoch > 0 && job.claimed : job.has_row);
    const end_of_call = { state: state ?? 'released', end_offset, ended_at_ms, revision };
    partition.ended(job.call_id, ownsRow ? { ...end_of_call, row_attempt: job.attempt } : end_of_call);
    this.partitions.acknowledge(job, end_offset);
    if (!ownsRow) return;
    this.foldLater(job, { state, end_offset, ended_at_ms });
    this.compensate(job, outcome, { end_offset, ended_at_ms });
    const { call_id, key, attempt, secondary_key } = job;
    if (state === 'in_doubt') partition.doubts.set(call_id, { key, attempt, secondary_key, compensates: compensated(job) ?? null });
    if (state === 'succeeded' && isKeyOfRequest(job.call.key_source)) this.open.settle(job, outcome);
  }

  /** If it undid an effect, the key of that effect becomes free. */
  private compensate(job: Job, outcome: Outcome, end: { end_offset: number; ended_at_ms: number }): void {
    const compensation = compensationOf(compensated(job), outcome);
    if (!compensation) return;
    this.partitions.compensateLater(job.lane, compensation, end);
    this.open.unsettle(compensation.effect.idempotency_key);
  }

  private foldLater(job: Job, end: Pick<FoldedEnd, 'state' | 'end_offset' | 'ended_at_ms'>): void {
    const resources = job.resources === null ? 'none' : endedOn(job.resources, job.acted_above);
    this.partitions.foldLater(job, { call_id: job.call_id, resources, ...end });
  }
}
