import type { EventLog } from '@countersign/event-log';

/** A partition that stays unread for this long does not delay checkpoints any longer. */
export const OPEN_AFTER_MS = 10_000;

interface PartitionEnd {
  topic: string;
  partition: number;
  /** Infinity if the log did not tell it. */
  end: number;
}

/**
 * The ends of all partitions, taken after a closed cut was signed. The next cut is closed once they are read: then it covers everything
 * that was on the log when the one before was signed.
 */
export class CutEnds {
  private ends: readonly PartitionEnd[] = [];
  private taken_ms = 0;

  constructor(
    private readonly log: Pick<EventLog, 'head' | 'partitions'>,
    private readonly topics: readonly string[],
    private readonly monotonic_ms: () => number = () => performance.now(),
  ) {}

  /** Call after a closed cut is signed, and before the first. */
  async take(): Promise<void> {
    const places = this.topics.flatMap((topic) =>
      Array.from({ length: this.log.partitions(topic) }, (_, partition) => ({ topic, partition })),
    );
    this.ends = await Promise.all(places.map((place) => this.endOf(place)));
    this.taken_ms = this.monotonic_ms();
  }

  private async endOf({ topic, partition }: Omit<PartitionEnd, 'end'>): Promise<PartitionEnd> {
    const end = await this.log.head(topic, partition).catch(() => Number.POSITIVE_INFINITY);
    return { topic, partition, end };
  }

  /** Whether the next cut is closed, by the next offset to read of each partition; undefined if signing must wait. */
  async state(next: (topic: string, partition: number) => number): Promise<'closed' | 'open' | undefined> {
    this.ends = await Promise.all(this.ends.map((known) => (known.end === Number.POSITIVE_INFINITY ? this.endOf(known) : known)));
    if (this.ends.every(({ topic, partition, end }) => next(topic, partition) >= end)) return 'closed';
    return this.monotonic_ms() - this.taken_ms >= OPEN_AFTER_MS ? 'open' : undefined;
  }
}
