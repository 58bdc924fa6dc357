import type { Consumer } from 'kafkajs';
import type { TopicOffset } from '../event-log.js';
import { faultOf, KafkaClient, shortRetry, sleep } from './kafka-client.js';
import type { KafkaSettings } from './kafka-options.js';
import { TogetherAssigner } from './together-assigner.js';
import { within } from './within.js';

const RESTART_MS = 1_000;
/** Time to connect and load the topics; the join itself continues in the background. */
const JOIN_MS = 60_000;
/** Timeout of a commit and of a member's leave request. */
const ANSWER_MS = 15_000;
/** Share of the session timeout: the heartbeat was sent before its response arrived. */
const SURE_SHARE = 0.75;

export interface MembershipEvents {
  /** The new partitions of this member, by topic. Synchronous: called before anything is fetched. */
  onAssignment(assignment: Readonly<Record<string, readonly number[]>>): void;
}

/**
 * Membership of a consumer group and its committed offsets only. It is a kafkajs consumer whose topics are all paused: its loop sleeps
 * and sends heartbeats, whatever the handlers do, and records are fetched by position elsewhere (see BrokerLink for the reason). Commits
 * carry the generation, so that a member that was removed from the group cannot commit.
 */
export class GroupMembership {
  private consumer: Consumer | undefined;
  private client: KafkaClient | undefined;
  private restarting = false;
  private closed = false;
  private joined = false;
  private left_ms = performance.now();
  private sure_until_ms = 0;
  private owned: readonly number[] = [];
  private pending = new Map<string, TopicOffset>();
  private committing: Promise<void> | undefined;
  private readonly commitTimer: NodeJS.Timeout;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly group: string,
    private readonly topics: readonly string[],
    private readonly events: MembershipEvents,
  ) {
    this.commitTimer = setInterval(() => void this.flush(), settings.commit_ms);
    this.commitTimer.unref();
  }

  /** @throws if the group cannot be joined now; afterwards it rejoins by itself, without limit. */
  async start(): Promise<void> {
    const client = new KafkaClient(this.settings, `group.${this.group}`, 'request');
    const consumer = client.kafka.consumer({
      groupId: this.group,
      sessionTimeout: this.settings.session_timeout_ms,
      rebalanceTimeout: Math.max(2 * this.settings.session_timeout_ms, 10_000),
      heartbeatInterval: this.settings.heartbeat_ms,
      maxWaitTimeInMs: Math.min(this.settings.fetch_wait_ms, this.settings.heartbeat_ms),
      allowAutoTopicCreation: false,
      metadataMaxAge: 30_000,
      partitionAssigners: [({ cluster }) => new TogetherAssigner(cluster, () => this.owned)],
      retry: { ...shortRetry, retries: 8 },
    });
    this.consumer = consumer;
    this.client = client;
    this.listen(consumer, client);
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [...this.topics], fromBeginning: true });
      await consumer.run({ autoCommit: false, eachBatch: async () => {} });
    } catch (error) {
      void consumer.disconnect().catch(() => {});
      throw faultOf(`can't join group ${this.group}`, error);
    }
  }

  /** Whether this member may rely on its assignment: it is in the group, not rebalancing, and had a response within the session timeout. */
  get sure(): boolean {
    return this.joined && performance.now() < this.sure_until_ms;
  }

  /** Since when this member is unsure of its assignment (monotonic, ms); undefined while it is sure. */
  get unsureSince(): number | undefined {
    if (this.closed || this.sure) return undefined;
    return this.joined ? this.sure_until_ms : this.left_ms;
  }

  /** Leaves with its connections and joins again with a new client. The group removes the old member when its session expires. */
  rebuild(): void {
    const { consumer, client } = this;
    this.left();
    this.consumer = undefined;
    client?.retire();
    void consumer?.disconnect().catch(() => {});
    void this.restart();
  }

  /** Sets the numbers that this member holds, for sticky assignment. */
  hold(owned: readonly number[]): void {
    this.owned = owned;
  }

  commit(offsets: readonly TopicOffset[]): void {
    for (const offset of offsets) this.pending.set(`${offset.topic}/${offset.partition}`, offset);
  }

  forget(isMine: (topic: string, partition: number) => boolean): void {
    for (const [key, { topic, partition }] of this.pending) if (!isMine(topic, partition)) this.pending.delete(key);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.commitTimer);
    await this.flush();
    await within(ANSWER_MS, 'goodbye', Promise.resolve(this.consumer?.disconnect())).catch(() => {});
    this.client?.retire();
  }

  private async flush(): Promise<void> {
    await this.committing;
    if (this.pending.size === 0 || !this.joined || !this.consumer) return;
    const offsets = [...this.pending.values()];
    this.pending = new Map();
    const committing = this.consumer.commitOffsets(
      offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset: String(offset) })),
    );
    this.committing = within(ANSWER_MS, 'commit', committing).catch((error: unknown) => {
      this.settings.warn('commit failed', { event: 'offset_commit_failed', group: this.group, error: faultOf('commit', error).message });
      for (const offset of offsets) if (!this.pending.has(`${offset.topic}/${offset.partition}`)) this.commit([offset]);
    });
    await this.committing;
    this.committing = undefined;
  }

  private listen(consumer: Consumer, client: KafkaClient): void {
    const { GROUP_JOIN, REBALANCING, CRASH, HEARTBEAT, REQUEST_TIMEOUT } = consumer.events;
    consumer.on(REQUEST_TIMEOUT, () => client.cut());
    consumer.on(HEARTBEAT, () => {
      if (consumer === this.consumer) this.heard();
    });
    consumer.on(GROUP_JOIN, ({ payload }) => {
      if (this.closed || consumer !== this.consumer) return;
      consumer.pause(this.topics.map((topic) => ({ topic })));
      const without_ms = this.joined ? 0 : Math.round(performance.now() - this.left_ms);
      this.joined = true;
      this.heard();
      this.events.onAssignment(payload.memberAssignment);
      const detail = { event: 'partitions_assigned', group: this.group, partitions: this.owned, without_ms };
      this.settings.tell('the consumer group assigned its partitions', detail);
    });
    consumer.on(REBALANCING, () => {
      if (consumer === this.consumer) this.left();
    });
    consumer.on(CRASH, ({ payload }) => {
      if (consumer !== this.consumer) return;
      this.left();
      this.settings.warn('left the consumer group; rejoining', {
        event: 'consumer_group_left',
        group: this.group,
        error: payload.error.message,
      });
      if (!payload.restart) void this.restart();
    });
  }

  private left(): void {
    if (this.joined) this.left_ms = performance.now();
    this.joined = false;
  }

  private heard(): void {
    this.sure_until_ms = performance.now() + this.settings.session_timeout_ms * SURE_SHARE;
  }

  private async restart(): Promise<void> {
    if (this.restarting) return;
    this.restarting = true;
    try {
      while (!this.closed && !(await this.startAgain()));
    } finally {
      this.restarting = false;
    }
  }

  private async startAgain(): Promise<boolean> {
    await sleep(RESTART_MS);
    if (this.closed) return true;
    try {
      await within(JOIN_MS, 'join', this.start());
      return true;
    } catch (error) {
      this.client?.retire();
      this.settings.warn('not back in the consumer group yet', {
        event: 'consumer_group_join_failed',
        group: this.group,
        error: faultOf('join', error).message,
      });
      return false;
    }
  }
}
