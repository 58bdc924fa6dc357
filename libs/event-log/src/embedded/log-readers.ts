import { setTimeout as sleep } from 'node:timers/promises';
import type { Follower, RunningSubscription, Subscription } from '../event-log.js';
import { CommittedOffsets } from './committed-offsets.js';
import type { EmbeddedSettings } from './embedded-options.js';
import { FollowRun } from './follow-run.js';
import { Group } from './group.js';
import type { Journal } from './journal.js';

/** The readers of the log: the groups with their committed offsets, and the followers. */
export class LogReaders {
  readonly #groups = new Map<string, Group>();
  readonly #follows = new Set<FollowRun>();

  private constructor(
    private readonly journal: Journal,
    private readonly committed: CommittedOffsets,
    private readonly terms: Pick<EmbeddedSettings, 'handover_ms' | 'onFault'>,
  ) {}

  static async open(settings: EmbeddedSettings, journal: Journal): Promise<LogReaders> {
    const { table } = journal;
    const committed = await CommittedOffsets.open(settings.dir, settings.offsets_save_ms, (topic, partition, offset) =>
      table.has(topic) ? Math.min(offset, table.of(topic)[partition]?.durable ?? 0) : 0,
    );
    return new LogReaders(journal, committed, settings);
  }

  subscribe(subscription: Subscription): Promise<RunningSubscription> {
    const { table, reader } = this.journal;
    for (const topic of subscription.topics) table.of(topic);
    let group = this.#groups.get(subscription.group);
    if (group === undefined) {
      group = new Group({ table, reader, committed: this.committed, ...this.terms });
      this.#groups.set(subscription.group, group);
    }
    return group.join(subscription);
  }

  follow(follower: Follower): RunningSubscription {
    const { table, reader } = this.journal;
    const run = new FollowRun(follower, table, { reader, onFault: this.terms.onFault }, (ended) => this.#follows.delete(ended));
    this.#follows.add(run);
    return run;
  }

  /** Stops all readers. Waits for a follower that does not end no longer than for a handover. */
  async end(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.close()));
    const ended = new AbortController();
    const waited = sleep(this.terms.handover_ms, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([Promise.all([...this.#follows].map((run) => run.close())), waited]);
    ended.abort();
  }

  saveOffsets(): Promise<void> {
    return this.committed.close();
  }

  /** Stops all readers without waiting, and saves nothing. */
  kill(): void {
    this.committed.stop();
    void this.end();
  }
}
