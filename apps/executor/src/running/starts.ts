import { crashPoint } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import type { Partitions } from '../partitions/partitions.js';
import type { Appender } from './appender.js';
import type { EventWriter } from './event-writer.js';
import type { Job } from './job.js';

/** Writes tool_call_started for claimed writes: durable before any of them fires. */
export class Starts {
  permitted: () => boolean = () => true;
  settleMs: (job: Job) => number = () => 0;
  configOffset: () => number = () => -1;
  onStarted: (jobs: readonly Job[]) => void = () => undefined;

  constructor(
    private readonly writer: EventWriter,
    private readonly appender: Appender,
    private readonly partitions: Partitions,
  ) {}

  async start(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0 || !this.permitted()) return;
    const config_offset = this.configOffset();
    const records: NewRecord[] = [];
    for (const job of jobs) {
      job.stage = 'starting';
      records.push(this.writer.started(job, this.settleMs(job), config_offset));
    }
    const offsets = await this.appender.append(records, this.permitted);
    if (!offsets) return;
    for (const [at, job] of jobs.entries()) {
      const offset = offsets[at] as number;
      const partition = this.partitions.of(job);
      partition.wrote(offset);
      const { epoch, fired_at_ms } = job;
      partition.starts.set(job.call_id, { epoch, offset, fired_at_ms });
    }
    crashPoint('executor.after_started');
    this.onStarted(jobs.filter((job) => job.stage === 'starting'));
  }
}
