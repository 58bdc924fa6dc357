import { crashPoint } from '@countersign/contracts';
import type { CallEvent } from '@countersign/domain';
import { appendedLeafHash, type NewRecord } from '@countersign/event-log';
import type { Job } from '../calls/job.js';
import type { Judge } from '../judging/judge.js';
import type { Lease } from '../lease/lease.js';
import type { Partitions } from '../partitions/partitions.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { Appender } from './appender.js';
import type { EventWriter } from './event-writer.js';

type Started = Extract<CallEvent, 'started' | 'lease_missing'>;

interface Pending {
  job: Job;
  /** Without an answer its lease was lost meanwhile. */
  answer: (event: Started) => void;
}

/** Dependencies for writing starts. */
export interface StartRecorderParts {
  writer: EventWriter;
  appender: Appender;
  lease: Lease;
  judge: Judge;
  runtime: Pick<ToolRuns, 'find' | 'place'>;
}

/** Writes tool_call_started for claimed writes, all of a turn in one append: durable before any of them runs. */
export class StartRecorder {
  private pending: Pending[] = [];

  constructor(
    private readonly parts: StartRecorderParts,
    private readonly partitions: Partitions,
  ) {}

  record(job: Job): Promise<Started> {
    const placing = this.parts.runtime.place(job);
    // A slow start of one process must not delay other calls.
    return placing ? placing.then(() => this.write(job)) : this.write(job);
  }

  private write(job: Job): Promise<Started> {
    return new Promise((answer) => {
      this.pending.push({ job, answer });
      if (this.pending.length === 1) queueMicrotask(() => void this.flush(this.pending.splice(0)));
    });
  }

  private async flush(all: readonly Pending[]): Promise<void> {
    const { lease, appender, judge, writer } = this.parts;
    const { epoch } = lease;
    if (!lease.check() && !(await lease.provenUnder(epoch))) {
      for (const { answer } of all) answer('lease_missing');
      return;
    }
    const pending = all.filter(({ job }) => job.stage === 'starting');
    if (pending.length === 0) return;
    const config_offset = judge.configOffset;
    const records = pending.map(({ job }) => writer.started(job, this.settleMs(job), config_offset));
    const offsets = await appender.append(records, () => lease.provenUnder(epoch));
    if (!offsets) return;
    for (const [at, { job }] of pending.entries()) this.note(job, records[at] as NewRecord, offsets[at] as number);
    crashPoint('executor.after_started');
    for (const { answer } of pending) answer('started');
  }

  private note(job: Job, record: NewRecord, offset: number): void {
    job.started_hash = appendedLeafHash(record, offset);
    const partition = this.partitions.of(job);
    partition.wrote(offset);
    // The end that another process wrote before it counts: the start opens nothing.
    if (partition.rowHasEnded(job)) return;
    const { call_id, epoch, fired_at_ms, place = null } = job;
    if ((partition.starts.get(call_id)?.epoch ?? 0) <= epoch) partition.starts.set(call_id, { epoch, offset, fired_at_ms, process: place });
  }

  private settleMs(job: Job): number {
    return this.parts.runtime.find(job)?.contract.settle_ms ?? 0;
  }
}
