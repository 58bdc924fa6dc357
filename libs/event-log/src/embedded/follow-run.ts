import type { Follower, RunningSubscription } from '../event-log.js';
import { Cursor } from './cursor.js';
import type { JournalReader } from './journal-reader.js';
import type { StreamTable } from './stream-table.js';

/** Cursors over every partition of some topics, without a group. */
export class FollowRun implements RunningSubscription {
  readonly #cursors: Cursor[] = [];

  constructor(
    follower: Follower,
    table: StreamTable,
    { reader, onFault }: { reader: JournalReader; onFault: (error: unknown) => void },
    private readonly onClosed: (run: FollowRun) => void,
  ) {
    const { visibility, batch_records_max } = follower;
    const onBatch = follower.onBatch.bind(follower);
    const given = new Map<string, number>();
    if (typeof follower.from !== 'string')
      for (const { topic, partition, offset } of follower.from) given.set(`${topic}/${partition}`, offset);
    for (const stream of follower.topics.flatMap((topic) => table.of(topic))) {
      const head = visibility === 'appended' ? stream.next : stream.durable;
      const from = follower.from === 'head' ? head : (given.get(`${stream.topic}/${stream.partition}`) ?? 0);
      this.#cursors.push(new Cursor(stream, reader, { visibility, batch_records_max, from, onBatch, onFault }));
    }
  }

  /** A follower has no group, so there is nothing to commit. */
  commit(): void {}

  staleness_ms(topic: string): number {
    return this.#cursors.reduce((longest, cursor) => (cursor.topic === topic ? Math.max(longest, cursor.staleness_ms()) : longest), 0);
  }

  async caughtUp(): Promise<void> {
    await Promise.all(this.#cursors.map((cursor) => cursor.caughtUp()));
  }

  async close(): Promise<void> {
    this.onClosed(this);
    await Promise.all(this.#cursors.map((cursor) => cursor.stop()));
  }
}
