import { crashPoint } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import type { Partitions } from '../partitions/partitions.js';
import type { Appender } from './appender.js';
import type { EventWriter } from './event-writer.js';
import type { Job } from './job.js';

/** Writes tool_call_started for claimed writes: durable before any of them fires. */
export class Starts {
  /** Whether this process may start anything: asked again, and waited for, where that is not known. */
  permitted: () => boolean = () => true;
  proven: () => Promise<boolean> = async () => this.permitted();
  /** Finds the process of a call that has one of its own. */
  place: (job: Job) => Promise<void> | undefined = () => undefined;
  settleMs: (job: Job) => number = () => 0;
  configOffset: () => number = () => -1;
  onStarted: (jobs: readonly Job[]) => void = () => undefined;

  constructor(
    private readonly writer: EventWriter,
    private readonly appender: Appender,
    private readonly partitions: Partitions,
  ) {}

  async start(all: readonly Job[]): Promise<void> {
    if (all.length === 0) return;
    // Where the lease is lost meanwhile, what is starting is given to its successor.
    for (const job of all) job.stage = 'starting';
    const here: Job[] = [];
    for (const job of all) {
      const placing = this.place(job);
      // A process that is slow to start holds up nobody else.
      if (placing) void placing.then(() => this.write([job]));
      else here.push(job);
    }
    await this.write(here);
  }

  private async write(all: readonly Job[]): Promise<void> {
    if (all.length === 0) return;
    if (!this.permitted() && !(await this.proven())) return;
    const jobs = all.filter((job) => job.stage === 'starting');
    if (jobs.length === 0) return;
    const config_offset = this.configOffset();
    const records: NewRecord[] = jobs.map((job) => this.writer.started(job, this.settleMs(job), config_offset));
    const offsets = await this.appender.append(records, this.proven);
    if (!offsets) return;
    for (const [at, job] of jobs.entries()) {
      const offset = offsets[at] as number;
      const partition = this.partitions.of(job);
      partition.wrote(offset);
      const { epoch, fired_at_ms, place = null } = job;
      partition.starts.set(job.call_id, { epoch, offset, fired_at_ms, process: place });
    }
    crashPoint('executor.after_started');
    this.onStarted(jobs.filter((job) => job.stage === 'starting'));
  }
}
