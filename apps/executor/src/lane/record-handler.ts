import type { EventCodec } from '@countersign/contracts';
import type { EventBatch, LogContext, PoisonRecord } from '@countersign/event-log';
import type { Clock, LogTime } from '@countersign/process';
import { jobOf, unreadableJob } from '../calls/authorised.js';
import type { Intake } from '../intake/intake.js';
import type { HistoryCommits } from '../partitions/history-commits.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import type { Pipeline } from '../pipeline/pipeline.js';
import type { Slots } from './slots.js';

/** Dependencies for reading the records of a lane. */
export interface RecordHandlerParts {
  codec: EventCodec;
  commits: HistoryCommits;
  decryptor: PersonalDataDecryptor;
  time: LogTime;
  clock: Clock;
}

/** Passes decisions, grants, cancellations and resolutions to the pipeline, in record order. */
export class RecordHandler {
  constructor(
    private readonly parts: RecordHandlerParts,
    private readonly intake: Intake,
    private readonly pipeline: Pipeline,
    private readonly slots: Slots,
  ) {}

  /** Resolves when the next batch may be read: when fewer than `waiting_max` calls wait. */
  async handleBatch(batch: EventBatch, context: LogContext): Promise<void> {
    const { commits, time, clock, decryptor } = this.parts;
    commits.note(batch, context);
    const last = batch.events.at(-1);
    if (last && last.offset + 1 >= batch.head) time.observe(last.timestamp_ms, clock.now_ms());
    await decryptor.prepare(batch);
    for (const { job, event } of this.intake.read(batch)) this.pipeline.handle(job, event);
    this.slots.give();
    await this.slots.waitForCapacity();
  }

  /** No handler could process the record: its call ends without a run. */
  poison(lane: string, { record, event }: PoisonRecord): void {
    const job = event ? jobOf(event) : unreadableJob(record, lane, this.parts.codec);
    const jobEvent = this.intake.poison(lane, record, job);
    if (jobEvent) this.pipeline.handle(jobEvent.job, jobEvent.event);
  }
}
