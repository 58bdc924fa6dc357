import type { PlacedEvent } from '@countersign/domain';
import { type EventBatch, OwnedPartitions, type PartitionOwner, type TopicOffset } from '@countersign/event-log';
import type { CallTracer } from '@countersign/process';
import { type Ownership, planAgain, type Store, takePartition, unrequestedHlc } from '@countersign/store';
import type { Projection } from '../projections/projection.js';
import { CallStates } from './call-states.js';
import { laneOf, topicsOf } from './lanes.js';
import { defaultPace, type FoldSink, PartitionFold, type WritePace } from './partition-fold.js';
import type { RefusedChanges } from './refused-changes.js';
import { livePlan, type WritePlan } from './write-plan.js';

/** The progress of the views in one topic partition: everything below `next_offset` is visible. */
export interface Shown {
  topic: string;
  partition: number;
  next_offset: number;
}

export interface ViewFolderOptions {
  store: Store;
  /** Identifies this process among the members of the group. */
  owner_id: string;
  projections: readonly Projection[];
  /** Absent only in tests without changes that name their base. */
  refusals?: Pick<RefusedChanges, 'marked'>;
  sink: FoldSink;
  pace?: WritePace;
  /** Absent if no traces are recorded. */
  tracer?: CallTracer;
}

/** Folds all partitions that the group assigned to this process. */
export class ViewFolder implements PartitionOwner {
  private readonly partitions = new OwnedPartitions<PartitionFold>();

  constructor(private readonly options: ViewFolderOptions) {}

  /** Opens assigned partitions. @returns where their topics resume. */
  assigned(lane: string, partitions: readonly number[]): Promise<TopicOffset[]> {
    return this.partitions.assign(lane, partitions, (_, partition) => this.open(lane, partition));
  }

  private async open(lane: string, partition: number): Promise<PartitionFold> {
    const { store, owner_id, projections, sink, tracer, pace = defaultPace } = this.options;
    const own = { lane, partition, owner_id };
    const taken = await takePartition(store, own);
    const plan = livePlan(taken.plan, own, projections);
    const from = taken.offsets.filter((offset) => offset.partition === partition && laneOf(offset.topic) === lane);
    const states = new CallStates(await unrequestedHlc(plan.states.of(store), partition));
    const options = { store, lane, partition, plan, planAgain: () => this.planAgain(own), projections, states, from, pace, sink, tracer };
    return new PartitionFold(options);
  }

  private async planAgain(own: Ownership): Promise<WritePlan | undefined> {
    const plan = await planAgain(this.options.store, own);
    return plan && livePlan(plan, own, this.options.projections);
  }

  revoked(lane: string, partitions: readonly number[]): Promise<void> {
    return this.partitions.revoke(lane, partitions);
  }

  async fold(batch: EventBatch): Promise<void> {
    const { topic, partition } = batch.events[0] as PlacedEvent;
    const events = batch.events as readonly PlacedEvent[];
    await this.of(topic, partition)?.fold((await this.options.refusals?.marked(events)) ?? events);
  }

  skip(topic: string, partition: number, offset: number): void {
    this.of(topic, partition)?.skip(topic, offset);
  }

  /** Written offsets of every topic of every partition of this process. */
  shown(): Shown[] {
    return this.positions((fold, topic) => fold.shown(topic));
  }

  /** The same, including folded offsets that are not written yet. */
  folded(): Shown[] {
    return this.positions((fold, topic) => fold.next(topic));
  }

  /** True if the views show these positions in the partitions that this process still owns. */
  shows(wanted: readonly Shown[]): boolean {
    return wanted.every(({ topic, partition, next_offset }) => (this.of(topic, partition)?.shown(topic) ?? next_offset) >= next_offset);
  }

  private positions(at: (fold: PartitionFold, topic: string) => number): Shown[] {
    return [...this.partitions.all()].flatMap((fold) =>
      topicsOf(fold.lane).map((topic) => ({ topic, partition: fold.number, next_offset: at(fold, topic) })),
    );
  }

  /** True if the group assigned this partition to this process. */
  folds(lane: string, partition: number): boolean {
    return this.partitions.at(lane, partition) !== undefined;
  }

  /** Writes folded rows. */
  close(): Promise<void> {
    return this.partitions.closeAll();
  }

  private of(topic: string, partition: number): PartitionFold | undefined {
    return this.partitions.at(laneOf(topic), partition);
  }
}
