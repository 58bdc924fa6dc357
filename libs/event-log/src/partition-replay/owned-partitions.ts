import type { TopicOffset } from '../event-log.js';

/** The state of a service for one partition of a lane while the partition is assigned to this process. */
export interface OwnedPartition {
  readonly lane: string;
  readonly number: number;
  /** The start offset of each input topic: everything below is done. Overrides committed offsets of the group. */
  resumeFrom(): readonly TopicOffset[];
  /** Called before another process may own the partition: resolves when this process writes nothing more as its owner. */
  close(): Promise<void> | void;
}

/**
 * The partitions of one service that its consumer group assigns to this process, by lane and number. Guarantees: a partition is
 * registered as soon as `open` resolves, and before its first batch. If `open` throws, all partitions of that assignment are closed again
 * and the exception goes to the subscription, which assigns again, maybe other numbers: each is revoked once. A partition that is
 * assigned while it is still open is closed first. From the call of `revoke` or `closeAll` on, `at` no longer finds the partition, also
 * while it closes. Each service decides how far a partition is done (the log, rows, committed offsets) and what delays its reads.
 */
export class OwnedPartitions<P extends OwnedPartition> {
  private readonly owned = new Map<string, P>();

  /** Opens these partitions one after the other. @returns the start offsets of their inputs */
  async assign(lane: string, numbers: readonly number[], open: (lane: string, number: number) => Promise<P>): Promise<TopicOffset[]> {
    const offsets: TopicOffset[] = [];
    try {
      for (const number of numbers) {
        await this.revoke(lane, [number]);
        const partition = await open(lane, number);
        this.owned.set(keyOf(lane, number), partition);
        offsets.push(...partition.resumeFrom());
      }
      return offsets;
    } catch (cause) {
      await this.revoke(lane, numbers);
      throw cause;
    }
  }

  /** Unregisters the partitions, then closes them concurrently. */
  async revoke(lane: string, numbers: readonly number[]): Promise<void> {
    await this.close(numbers.flatMap((number) => this.at(lane, number) ?? []));
  }

  at(lane: string, number: number): P | undefined {
    return this.owned.get(keyOf(lane, number));
  }

  all(): IterableIterator<P> {
    return this.owned.values();
  }

  async closeAll(): Promise<void> {
    await this.close([...this.owned.values()]);
  }

  private async close(partitions: readonly P[]): Promise<void> {
    for (const { lane, number } of partitions) this.owned.delete(keyOf(lane, number));
    await Promise.all(partitions.map((partition) => partition.close()));
  }
}

const keyOf = (lane: string, number: number): string => `${lane}/${number}`;
