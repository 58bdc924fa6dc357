import { isBusy } from '@countersign/domain';
import type { EventBatch, LogContext, PoisonRecord, TopicOffset } from '@countersign/event-log';
import type { Clock, Logger } from '@countersign/process';
import type { InFlightCalls } from '../calls/in-flight-calls.js';
import type { Job } from '../calls/job.js';
import type { Judge } from '../judging/judge.js';
import type { Lease } from '../lease/lease.js';
import type { Pipeline } from '../pipeline/pipeline.js';
import type { OutcomeRecorder } from '../recording/outcome-recorder.js';
import type { CallRunner } from '../running/call-runner.js';
import type { FairQueue } from '../scheduling/fair-queue.js';
import type { BackgroundWork } from './background-work.js';
import type { LanePartitions } from './lane-partitions.js';
import type { LaneTimer } from './lane-timer.js';
import type { LaneUpkeep } from './lane-upkeep.js';
import type { RecordHandler } from './record-handler.js';

const DRAIN_MS = 5000;
const LOOK_AGAIN_MS = 10;

/** The components of a lane. */
export interface LaneStages {
  partitions: LanePartitions;
  records: RecordHandler;
  pipeline: Pipeline;
  timer: LaneTimer;
  upkeep: LaneUpkeep;
  background: BackgroundWork;
}

/** The calls of a lane, by state. */
export interface LaneLoad {
  queue: FairQueue<Job>;
  open: InFlightCalls;
  runs: CallRunner;
  ends: OutcomeRecorder;
  judge: Judge;
}

/** Executes one lane: consumes decisions and grants, and ensures that each effect happens once. */
export class LaneExecutor {
  private closing = false;

  constructor(
    private readonly lane: string,
    private readonly lease: Lease,
    private readonly stages: LaneStages,
    private readonly calls: LaneLoad,
    private readonly around: { clock: Clock; logger: Pick<Logger, 'warn'> },
  ) {
    lease.on('lost', () => this.detachAll());
  }

  get ready(): boolean {
    return this.lease.held && !this.calls.judge.silent;
  }

  /** For metrics and tests. */
  get load(): { waiting: number; running: number; open: number } {
    const { queue, open } = this.calls;
    return { waiting: queue.waiting, running: queue.running, open: open.size };
  }

  async start(): Promise<void> {
    await this.lease.start();
    this.stages.timer.start();
  }

  assigned(numbers: readonly number[]): Promise<TopicOffset[]> {
    return this.stages.partitions.assigned(numbers);
  }

  revoked(numbers: readonly number[]): Promise<void> {
    return this.stages.partitions.revoked(numbers);
  }

  handleBatch(batch: EventBatch, context: LogContext): Promise<void> {
    return this.stages.records.handleBatch(batch, context);
  }

  poison(record: PoisonRecord): void {
    this.stages.records.poison(this.lane, record);
  }

  /** The lease is lost: its successor settles the calls that may have run; the others wait for the next lease. */
  private detachAll(): void {
    this.stages.pipeline.handleAll([...this.calls.open.all()].map((job) => ({ job, event: 'lease_lost' })));
  }

  /** Finishes running calls (for a limited time), then releases the lease, so that another executor can take over. */
  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    const { partitions, timer, background, upkeep } = this.stages;
    partitions.giveUpAllWaiting();
    await this.drained();
    timer.stop();
    await background.settled();
    for (const job of this.calls.open.all()) this.calls.runs.drop(job, 'closing');
    await upkeep
      .fold()
      .catch((cause) =>
        this.around.logger.warn({ event: 'progress_not_written', cause: String(cause) }, 'the last progress could not be written'),
      );
    await this.lease.close();
  }

  private async drained(): Promise<void> {
    const { clock } = this.around;
    const until = clock.monotonic_ms() + DRAIN_MS;
    while (this.isBusy() && (this.lease.check() || this.lease.unproven) && clock.monotonic_ms() < until)
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }

  private isBusy(): boolean {
    return this.calls.ends.outstanding > 0 || [...this.calls.open.all()].some((job) => isBusy(job.stage));
  }
}
