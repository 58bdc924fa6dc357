import type { TopicOffset } from '@countersign/event-log';
import type { Arbiter } from '../arbiter/arbiter.js';
import type { InFlightCalls } from '../calls/in-flight-calls.js';
import type { EndsReader } from '../partitions/ends-reader.js';
import { Partition } from '../partitions/partition.js';
import type { Partitions } from '../partitions/partitions.js';
import type { Pipeline } from '../pipeline/pipeline.js';
import type { Dispatcher } from '../scheduling/dispatcher.js';

/** Where an opened partition is read from. */
export interface LaneSource {
  arbiter: Arbiter;
  reader: EndsReader;
}

/** The calls that are given up with a partition. */
export interface LaneCalls {
  pipeline: Pipeline;
  dispatcher: Dispatcher;
  open: InFlightCalls;
}

/** Opens partitions of a lane, and releases them to the next owner. */
export class LanePartitions {
  constructor(
    private readonly lane: string,
    private readonly source: LaneSource,
    private readonly partitions: Partitions,
    private readonly calls: LaneCalls,
  ) {}

  assigned(numbers: readonly number[]): Promise<TopicOffset[]> {
    return this.partitions.assign(this.lane, numbers, (lane, number) => this.open(lane, number));
  }

  /** Reads which calls ended, and from which offset calls may still run, before the first decision of the partition. */
  private async open(lane: string, number: number): Promise<Partition> {
    const { arbiter, reader } = this.source;
    const progress = await arbiter.progressOf(number);
    const partition = new Partition(lane, number, new Map(progress.map(({ topic, history_below }) => [topic, history_below])));
    partition.next_end = progress.length === 0 ? 0 : Math.min(...progress.map((row) => row.ends_from));
    await reader.learnRecent(partition);
    this.calls.pipeline.handleAll(await reader.catchUp(partition));
    return partition;
  }

  /** The next owner reads waiting calls again; running calls finish here. */
  async revoked(numbers: readonly number[]): Promise<void> {
    const { pipeline, open } = this.calls;
    const revoking = this.partitions.revoke(this.lane, numbers);
    for (const number of numbers) {
      const { awaiting_remote_outcome } = this.partitions.get(this.lane, number);
      this.giveUpWaiting(number);
      for (const waiting of awaiting_remote_outcome.values()) for (const job of waiting) pipeline.handle(job, 'revoked');
      awaiting_remote_outcome.clear();
      open.forget(this.lane, number);
    }
    await revoking;
  }

  /** Leaves all waiting calls, and the calls that wait for them, to the process that reads them again. */
  giveUpAllWaiting(): void {
    for (const { number } of this.partitions.assigned()) this.giveUpWaiting(number);
  }

  private giveUpWaiting(number: number): void {
    for (const job of this.calls.dispatcher.drop(this.lane, number)) this.calls.pipeline.handle(job, 'revoked');
  }
}
