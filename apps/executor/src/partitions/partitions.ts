import { parseCallId } from '@countersign/contracts';
import type { Compensation } from '@countersign/domain';
import { OwnedPartitions, type TopicOffset } from '@countersign/event-log';
import type { ClaimedRows, FoldedEnd, Progress } from '../arbiter/arbiter.js';
import type { Job } from '../calls/job.js';
import { Partition } from './partition.js';

/** The current and former partitions of this process, by lane and number, and the ends that wait to be folded into rows. */
export class Partitions {
  private readonly owned = new OwnedPartitions<Partition>();
  /** Partitions of other executors: their calls that still run here are finished, and the answers of their calls are read. */
  private readonly others = new Map<string, Partition>();
  private ends: FoldedEnd[] = [];
  private closed: string[] = [];

  async assign(
    lane: string,
    numbers: readonly number[],
    open: (lane: string, number: number) => Promise<Partition>,
  ): Promise<TopicOffset[]> {
    this.remember(lane, numbers);
    const offsets = await this.owned.assign(lane, numbers, open);
    for (const number of numbers) this.others.delete(keyOf(lane, number));
    return offsets;
  }

  /** From this call on they are no longer assigned. */
  revoke(lane: string, numbers: readonly number[]): Promise<void> {
    this.remember(lane, numbers);
    return this.owned.revoke(lane, numbers);
  }

  get(lane: string, number: number): Partition {
    return this.owned.at(lane, number) ?? this.other(lane, number);
  }

  private other(lane: string, number: number): Partition {
    const key = keyOf(lane, number);
    const known = this.others.get(key);
    if (known) return known;
    const other = new Partition(lane, number);
    other.close();
    this.others.set(key, other);
    return other;
  }

  of(job: Job): Partition {
    return this.get(job.lane, job.partition);
  }

  assigned(): Partition[] {
    return [...this.owned.all()];
  }

  private remember(lane: string, numbers: readonly number[]): void {
    for (const number of numbers) {
      const owned = this.owned.at(lane, number);
      if (owned) this.others.set(keyOf(lane, number), owned);
    }
  }

  /** Partitions whose ends must be read now: those with foreign records before own ones, those with waiting calls, or (`every`) all assigned. */
  toRead(every: boolean): Partition[] {
    return [...this.owned.all(), ...this.others.values()].filter(
      ({ ahead, assigned, awaiting_remote_outcome }) => ahead.size > 0 || (assigned && (every || awaiting_remote_outcome.size > 0)),
    );
  }

  /** Acknowledges all records of this call. */
  acknowledge(job: Job, end_offset?: number): void {
    const partition = this.of(job);
    const { topic, offset } = job.authorised.source;
    partition.acknowledge(topic, offset, end_offset);
    for (const source of job.sources ?? []) partition.acknowledge(source.topic, source.offset, end_offset);
  }

  /** Queues the end of a call for its row, or for both rows. */
  foldLater({ key, attempt, secondary_key }: ClaimedRows, end: Omit<FoldedEnd, 'key' | 'attempt'>): void {
    this.ends.push({ key, attempt, ...end });
    if (secondary_key) this.ends.push({ key: secondary_key.idempotency_key, attempt: secondary_key.attempt, ...end });
  }

  /** Queues the end of a compensation: if the effect is undone, its row records that and its key is free. */
  compensateLater(
    lane: string,
    compensation: Compensation | undefined,
    { end_offset, ended_at_ms }: Pick<FoldedEnd, 'end_offset' | 'ended_at_ms'>,
  ): void {
    if (compensation?.outcome !== 'compensated') return;
    const { call_id, idempotency_key: key, attempt, also: secondary_key } = compensation.effect;
    const partition = parseCallId(call_id)?.partition;
    if (partition !== undefined) this.get(lane, partition).compensated(call_id);
    this.foldLater({ key, attempt, secondary_key }, { call_id, state: 'compensated', resources: 'none', end_offset, ended_at_ms });
  }

  /** Queues an approval that closed without a grant. */
  closeLater(approval_id: string): void {
    this.closed.push(approval_id);
  }

  /** Up to `ends_max` ends, the newest of each row; with all of them, also the progress of the assigned partitions. */
  takeFold(ends_max: number): { ends: FoldedEnd[]; closed: string[]; progress: Progress[]; left: number } {
    const newest = new Map<string, FoldedEnd>();
    for (const end of this.ends.splice(0, ends_max))
      newest.set(`${end.key}/${end.attempt}/${end.call_id}/${end.state === 'compensated'}`, end);
    const closed = this.closed.splice(0, ends_max);
    const left = this.ends.length + this.closed.length;
    return { ends: [...newest.values()], closed, progress: left === 0 ? this.progress() : [], left };
  }

  /** The fold failed: its items go first next time. */
  putBack(ends: readonly FoldedEnd[], closed: readonly string[]): void {
    this.ends.unshift(...ends);
    this.closed.unshift(...closed);
  }

  private progress(): Progress[] {
    return this.assigned().flatMap((partition) => {
      const ends_from = partition.endsFrom();
      return [...partition.inputs].map(([topic, tracker]) => ({
        lane: partition.lane,
        partition: partition.number,
        topic,
        history_below: tracker.historyBelow,
        ends_from,
      }));
    });
  }
}

const keyOf = (lane: string, number: number): string => `${lane}/${number}`;
