import type { TopicOffset } from '../event-log.js';

/** What a service keeps of one partition of a lane while its consumer group gives it to this process. */
export interface OwnedPartition {
  readonly lane: string;
  readonly number: number;
  /** From where each input topic is read: below, everything is done with. Wins over what the group committed. */
  resumeFrom(): readonly TopicOffset[];
  /** Another process may own it from now on: resolves when nothing is written here any more by right of owning it. */
  close(): Promise<void> | void;
}

/**
 * The partitions of one service that its consumer group gives to this process, by lane and number.
 *
 * Promises: a partition is registered as soon as `open` resolves, and before its first batch. Where `open` throws, all
 * partitions of that assignment are closed again and the throw goes to the subscription, which assigns once more, maybe
 * other numbers: each is revoked once. A partition that is assigned while it is still open is closed
 * first. Once `revoke` or `closeAll` is called, `at` does not find it any more, also while it closes.
 *
 * How far a partition is done (the log, rows, committed offsets), and what holds its reading up, is for each service.
 */
export class OwnedPartitions<P extends OwnedPartition> {
  private readonly owned = new Map<string, P>();

  /** Opens these partitions one after the other. @returns where their inputs go on */
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

  /** Takes them off, then closes them, all at once. */
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
