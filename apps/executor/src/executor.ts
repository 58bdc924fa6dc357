import { parseTopic } from '@countersign/contracts';
import type { EventBatch, LogContext, PartitionOwner, PoisonRecord, TopicOffset } from '@countersign/event-log';
import type { LaneExecutor } from './lane/lane-executor.js';

/** The lanes that this process executes. */
export class Executor implements PartitionOwner {
  constructor(private readonly lanes: ReadonlyMap<string, LaneExecutor>) {}

  get ready(): boolean {
    return [...this.lanes.values()].every((lane) => lane.ready);
  }

  /** Calls in all lanes: waiting for a slot, holding one, and open. */
  get load(): { waiting: number; running: number; open: number } {
    const sum = { waiting: 0, running: 0, open: 0 };
    for (const { load } of this.lanes.values()) {
      sum.waiting += load.waiting;
      sum.running += load.running;
      sum.open += load.open;
    }
    return sum;
  }

  async start(): Promise<void> {
    for (const lane of this.lanes.values()) await lane.start();
  }

  handleBatch(batch: EventBatch, context: LogContext): Promise<void> {
    return this.lane(batch.lane).handleBatch(batch, context);
  }

  assigned(lane: string, partitions: readonly number[]): Promise<TopicOffset[]> {
    return this.lane(lane).assigned(partitions);
  }

  revoked(lane: string, partitions: readonly number[]): Promise<void> {
    return this.lane(lane).revoked(partitions);
  }

  /** The record is in dead-letter; a call that it authorizes ends without a run. */
  poison(poison: PoisonRecord): void {
    this.lane(parseTopic(poison.record.topic).lane).poison(poison);
  }

  async close(): Promise<void> {
    await Promise.all([...this.lanes.values()].map((lane) => lane.close()));
  }

  private lane(name: string): LaneExecutor {
    const lane = this.lanes.get(name);
    if (!lane) throw new Error(`lane ${name} is not executed here`);
    return lane;
  }
}
