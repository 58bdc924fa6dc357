import type { RunningSubscription, Subscription, TopicOffset } from '../event-log.js';
import type { CommittedOffsets } from './committed-offsets.js';
import { Cursor } from './cursor.js';
import type { JournalReader } from './journal-reader.js';
import type { StreamTable } from './stream-table.js';

const RETRY_MS = 200;
const RETRY_MS_MAX = 5_000;

/** The sources and settings with which a member reads. */
export interface MemberSources {
  table: StreamTable;
  reader: JournalReader;
  committed: CommittedOffsets;
  /** Longest wait for a running handler when its partition moves to another member or its subscription closes. */
  handover_ms: number;
  onFault(error: unknown): void;
}

/** The group as its members see it. */
export interface MemberGroup {
  /** Gives the member's partitions to the others once its handlers have ended. */
  leave(member: Member, halted: Promise<void>): Promise<void>;
  /** Resolves when no rebalance is running. */
  settled(): Promise<void>;
}

/** One subscription of a group, and its current partitions. */
export class Member implements RunningSubscription {
  /** Currently assigned. */
  readonly owned = new Set<number>();
  readonly #giving_up = new Set<number>();
  readonly #cursors = new Map<number, Cursor[]>();
  #taking: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(
    readonly subscription: Subscription,
    private readonly group: MemberGroup,
    private readonly sources: MemberSources,
  ) {}

  /** Starts to read newly assigned partitions once `onAssigned` has resolved; does not wait for that. */
  take(partitions: readonly number[]): void {
    for (const partition of partitions) this.owned.add(partition);
    this.#taking = this.#taking.then(() => this.#begin(partitions));
  }

  /** Resolves when no batch of these partitions runs any more, or the hand-over time is over. */
  async release(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      this.owned.delete(partition);
      this.#giving_up.add(partition);
    }
    await this.#atMost(this.#taking);
    await this.#halt(partitions);
    try {
      await this.subscription.onRevoked?.(partitions);
    } catch (error) {
      this.sources.onFault(error);
    }
    for (const partition of partitions) this.#giving_up.delete(partition);
  }

  commit(offsets: readonly TopicOffset[]): void {
    for (const offset of offsets) {
      // A member that lost the partition must not undo commits of its successor.
      if (!this.owned.has(offset.partition) && !this.#giving_up.has(offset.partition)) continue;
      this.sources.committed.set(this.subscription.group, offset);
    }
  }

  staleness_ms(topic: string): number {
    let longest = 0;
    for (const partition of this.owned) {
      const cursors = this.#cursors.get(partition);
      if (cursors === undefined) return Number.POSITIVE_INFINITY;
      for (const cursor of cursors) if (cursor.topic === topic) longest = Math.max(longest, cursor.staleness_ms());
    }
    return longest;
  }

  async caughtUp(): Promise<void> {
    await this.group.settled();
    await this.#taking;
    await Promise.all([...this.#cursors.values()].flat().map((cursor) => cursor.caughtUp()));
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave();
    return this.#closing;
  }

  async #leave(): Promise<void> {
    const partitions = [...this.owned];
    for (const partition of partitions) this.#giving_up.add(partition);
    this.owned.clear();
    await this.group.leave(this, this.#halt(partitions));
    this.#giving_up.clear();
  }

  async #begin(partitions: readonly number[]): Promise<void> {
    const given = await this.#assigned(partitions);
    const from = new Map((given ?? []).map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
    for (const partition of partitions) {
      if (!this.owned.has(partition)) continue;
      // Revoked and assigned again while onAssigned ran: this run replaces the earlier one.
      await this.#halt([partition]);
      this.#cursors.set(partition, this.#read(partition, from));
    }
  }

  /** Calls onAssigned until it succeeds or all the partitions are revoked again. */
  async #assigned(partitions: readonly number[]): Promise<readonly TopicOffset[] | undefined> {
    for (let pause = RETRY_MS; partitions.some((partition) => this.owned.has(partition)); pause = Math.min(pause * 2, RETRY_MS_MAX)) {
      try {
        return await this.subscription.onAssigned?.(partitions);
      } catch (error) {
        this.sources.onFault(error);
        await sleep(pause);
      }
    }
    return undefined;
  }

  #read(partition: number, from: ReadonlyMap<string, number>): Cursor[] {
    const { group, topics, visibility, batch_records_max } = this.subscription;
    const { table, reader, committed, onFault } = this.sources;
    const onBatch = this.subscription.onBatch.bind(this.subscription);
    return topics
      .filter((topic) => partition < table.of(topic).length)
      .map((topic) => {
        const start = from.get(`${topic}/${partition}`) ?? committed.get(group, topic, partition) ?? 0;
        return new Cursor(table.stream(topic, partition), reader, { visibility, batch_records_max, from: start, onBatch, onFault });
      });
  }

  async #halt(partitions: readonly number[]): Promise<void> {
    const stops = partitions.flatMap((partition) => this.#cursors.get(partition) ?? []).map((cursor) => cursor.stop());
    for (const partition of partitions) this.#cursors.delete(partition);
    await this.#atMost(Promise.all(stops));
  }

  async #atMost(work: Promise<unknown>): Promise<void> {
    const timer = new AbortController();
    await Promise.race([work, sleep(this.sources.handover_ms, timer.signal)]);
    timer.abort();
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
