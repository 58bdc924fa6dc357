import { crashPoint, type Outcome, type Tier } from '@countersign/contracts';
import type { StricterRuling } from '@countersign/decisions';
import { type ExecutionState, stateAfter } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';
import { endedOn } from '@countersign/store';
import type { Partitions } from '../partitions/partitions.js';
import type { Appender } from './appender.js';
import type { EarlierAnswer, EventWriter } from './event-writer.js';
import type { Job } from './job.js';
import type { OpenCalls } from './open-calls.js';

interface Ending {
  job: Job;
  record: NewRecord;
  outcome: Outcome | undefined;
  /** What its row becomes; undefined: it has none. */
  state: ExecutionState | undefined;
  revision: number;
}

/** Statuses that say nothing about the effect that a repeat of the key asks for: its repeats go their own way. */
const OWN_END = new Set<Outcome['status']>(['cancelled', 'expired']);

/** Without a lease nothing is ended; looked at again after this. */
const PAUSE_MS = 50;

/** Puts ends on the log, all of a tick in one append, and tells what follows once they are durable. */
export class Ends {
  private pending: Ending[] = [];
  private scheduled = false;
  private inFlight = 0;

  /** Whether this process may still end anything. */
  permitted: () => boolean = () => true;
  /** The same, once it is known. */
  proven: () => Promise<boolean> = async () => this.permitted();
  /** A call is off the books: its slot is free. */
  onGone: (job: Job, outcome: Outcome | undefined) => void = () => undefined;
  /** Repeats that the end of their first call does not answer. */
  onReadmit: (jobs: readonly Job[]) => void = () => undefined;
  /** Records that are durable now: callers wait for them. */
  onRecorded: (records: readonly NewRecord[], offsets: readonly number[]) => void = () => undefined;

  constructor(
    private readonly writer: EventWriter,
    private readonly appender: Appender,
    private readonly partitions: Partitions,
    private readonly open: OpenCalls,
  ) {}

  /** Ends not durable yet. */
  get outstanding(): number {
    return this.pending.length + this.inFlight;
  }

  /** The call ends with this outcome, and its repeats with it. */
  end(job: Job, outcome: Outcome): void {
    job.stage = 'ending';
    const record = outcome.status === 'in_doubt' ? this.writer.inDoubt(job, outcome) : this.writer.executed(job, outcome);
    this.push({ job, record, outcome, state: stateAfter(outcome), revision: Number.POSITIVE_INFINITY });
    this.answerJoiners(job, outcome);
  }

  /**
   * A repeat ends with the outcome of the first call of its key. It has no row that says who may end it, so only the owner of
   * its partition does: its ruling stays uncovered here, and the next owner reads it again.
   */
  deduplicate(job: Job, earlier: EarlierAnswer): void {
    if (!this.partitions.of(job).assigned) {
      this.leave(job, earlier.outcome);
      for (const joiner of this.takeJoiners(job)) this.deduplicate(joiner, earlier);
      return;
    }
    job.stage = 'ending';
    job.attempt = earlier.attempt;
    const record = this.writer.deduplicated(job, earlier);
    this.push({ job, record, outcome: earlier.outcome, state: undefined, revision: Number.POSITIVE_INFINITY });
    for (const joiner of this.takeJoiners(job)) this.deduplicate(joiner, earlier);
  }

  /** It was to be answered by an earlier call and cannot be: policy decides once more. */
  answerGone(job: Job, tier: Tier, config_offset: number): void {
    this.decideAnew(job, this.writer.answerGone(job, tier, config_offset));
  }

  /** Nothing fired: policy decides once more. */
  rejudge(job: Job, ruling: StricterRuling, config_offset: number): void {
    this.decideAnew(job, this.writer.rejudged(job, ruling, config_offset));
  }

  /** This revision is over and the call is not: its joiners go their own way. */
  private decideAnew(job: Job, record: NewRecord): void {
    job.stage = 'ending';
    this.push({ job, record, outcome: undefined, state: undefined, revision: job.authorised.revision });
    const joiners = this.takeJoiners(job);
    if (joiners.length > 0) this.onReadmit(joiners);
  }

  /** A result of an epoch that lost its lease: evidence, and nothing else here. */
  async evidence(job: Job, outcome: Outcome): Promise<void> {
    await this.appender.append([this.writer.executed(job, outcome)], async () => true);
  }

  private answerJoiners(job: Job, outcome: Outcome): void {
    const joiners = this.takeJoiners(job);
    if (joiners.length === 0) return;
    if (OWN_END.has(outcome.status)) this.onReadmit(joiners);
    else
      for (const joiner of joiners)
        this.deduplicate(joiner, { call_id: job.call_id, attempt: job.attempt, outcome, because: 'live_key', effect_now: null });
  }

  private takeJoiners(job: Job): Job[] {
    const joiners = job.joiners ?? [];
    job.joiners = undefined;
    return joiners;
  }

  private push(ending: Ending): void {
    this.pending.push(ending);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  /** Whether another executor ended this repeat meanwhile: what was read of the log says so, and the call is off the books here. */
  private isRecorded({ job, state, revision, outcome }: Ending): boolean {
    if (state !== undefined || revision !== Number.POSITIVE_INFINITY || outcome === undefined) return false;
    const end = this.partitions.of(job).endOf(job.call_id);
    if (!end) return false;
    this.partitions.cover(job, end.end_offset);
    this.leave(job, outcome);
    if (job.next) this.onReadmit([job.next]);
    return true;
  }

  private leave(job: Job, outcome: Outcome): void {
    this.open.remove(job);
    job.stage = 'gone';
    this.onGone(job, outcome);
  }

  private flush(): void {
    this.pending = this.pending.filter((ending) => !this.isRecorded(ending));
    const endings = this.pending.filter((ending) => ending.job.stage === 'ending');
    if (endings.length > 0 && !this.permitted()) {
      this.pending = endings;
      setTimeout(() => this.flush(), PAUSE_MS).unref();
      return;
    }
    this.scheduled = false;
    this.pending = [];
    if (endings.length === 0) return;
    const records = endings.map((ending) => ending.record);
    this.inFlight += endings.length;
    void this.appender
      .append(records, this.proven)
      .then((offsets) => offsets && this.recorded(endings, records, offsets))
      .finally(() => {
        this.inFlight -= endings.length;
      });
  }

  private recorded(endings: readonly Ending[], records: readonly NewRecord[], offsets: readonly number[]): void {
    crashPoint('executor.after_end');
    for (const [at, ending] of endings.entries()) this.book(ending, offsets[at] as number);
    this.onRecorded(records, offsets);
  }

  private book({ job, outcome, state, revision }: Ending, end_offset: number): void {
    const partition = this.partitions.of(job);
    const ended_at_ms = outcome?.ended_at_ms ?? 0;
    partition.wrote(end_offset);
    partition.ended(job.call_id, { state: state ?? 'released', end_offset, ended_at_ms, revision });
    this.partitions.cover(job, end_offset);
    if (outcome && state !== undefined && (job.write ? job.epoch > 0 && job.claimed : job.has_row)) {
      const { call_id, key, attempt, also } = job;
      const resources = job.resources === null ? 'none' : endedOn(job.resources, job.acted_above);
      this.partitions.foldLater({ key, attempt, call_id, state, end_offset, ended_at_ms, resources });
      if (also)
        this.partitions.foldLater({ key: also.idempotency_key, attempt: also.attempt, call_id, state, end_offset, ended_at_ms, resources });
      if (state === 'in_doubt') partition.doubts.set(call_id, { key, attempt, also });
      if (state === 'succeeded' && job.call.key_source === 'header') this.open.settle(job, outcome);
    }
    this.open.remove(job);
    job.stage = state === 'in_doubt' ? 'in_doubt' : 'gone';
    if (outcome) this.answerJoiners(job, outcome);
    this.onGone(job, outcome);
    if (job.next) this.onReadmit([job.next]);
  }
}
