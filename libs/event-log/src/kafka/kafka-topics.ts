import type { Admin } from 'kafkajs';
import type { DropTerms, TopicOffset, TopicSpec } from '../event-log.js';
import { retried, retryPlans } from '../retries.js';
import { MESSAGE_BYTES_MAX } from './append-call.js';
import { requestTimeoutMs } from './fetch-limits.js';
import { faultOf, KafkaClient, sleep } from './kafka-client.js';
import type { KafkaSettings } from './kafka-options.js';
import { within } from './within.js';

const READY_MS = 15_000;
const POLL_MS = 50;

/** Unlimited retention, no compaction, timestamps set by the broker at append: approvals and expiries use these timestamps. */
const topicConfig = {
  'retention.ms': '-1',
  'retention.bytes': '-1',
  'cleanup.policy': 'delete',
  'message.timestamp.type': 'LogAppendTime',
  'max.message.bytes': String(MESSAGE_BYTES_MAX),
} as const;

/** How a topic is created. */
function configEntries({ outside }: TopicSpec): { name: string; value: string }[] {
  const limits = outside && {
    'retention.ms': String(outside.retention_ms),
    'max.message.bytes': String(outside.batch_bytes_max),
    'compression.type': 'uncompressed',
  };
  return Object.entries({ ...topicConfig, ...limits }).map(([name, value]) => ({ name, value }));
}

/** Requests to the cluster rather than to a partition, over one persistent admin connection. */
export class KafkaTopics {
  private readonly counts = new Map<string, number>();
  private admin: Promise<Admin> | undefined;

  constructor(private readonly settings: KafkaSettings) {}

  /** Loads all existing topics. @throws InfrastructureFault if no broker responds. */
  async load(): Promise<void> {
    await this.use("can't reach Kafka", async (admin) => this.learn(await admin.fetchTopicMetadata()));
  }

  /** Partition count of an existing topic. @throws if it is unknown: call ensureTopics or load first. */
  partitions(topic: string): number {
    const count = this.counts.get(topic);
    if (count === undefined) throw new Error(`Kafka has no topic ${topic}, or this process has not loaded its metadata`);
    return count;
  }

  async ensure(specs: readonly TopicSpec[]): Promise<void> {
    await this.load();
    const missing = [...new Map(specs.map((spec) => [spec.name, spec])).values()].filter(({ name }) => !this.counts.has(name));
    if (missing.length === 0) return;
    const replicationFactor = this.settings.replication_factor;
    const topics = missing.map((spec) => ({
      topic: spec.name,
      numPartitions: spec.partitions,
      replicationFactor,
      configEntries: configEntries(spec),
    }));
    // waitForLeaders races on KRaft: the topic exists while its metadata does not yet
    await this.use("can't create topics", (admin) => admin.createTopics({ topics, waitForLeaders: false }));
    await this.ready(missing.map(({ name }) => name));
  }

  /** The first remaining offset of a partition. */
  async first(topic: string, partition: number): Promise<number> {
    const found = await this.use(`can't read the offsets of ${topic}`, (admin) => admin.fetchTopicOffsets(topic));
    return Number(found.find((one) => one.partition === partition)?.low ?? 0);
  }

  /** Deletes the records below an offset, by partition, of the topics that are not carried. @returns how many partitions were shortened */
  async drop({ below, carries }: DropTerms): Promise<number> {
    let dropped = 0;
    for (const [topic, count] of this.counts) {
      const isDue = Array.from({ length: count }, (_, partition) => below(topic, partition)).some((offset) => offset > 0);
      if (!isDue || carries(topic)) continue;
      const known = await this.use(`can't read the offsets of ${topic}`, (admin) => admin.fetchTopicOffsets(topic));
      const partitions = known
        .map(({ partition, low, high }) => ({ partition, low: Number(low), offset: Math.min(Number(high), below(topic, partition)) }))
        .filter(({ low, offset }) => offset > low)
        .map(({ partition, offset }) => ({ partition, offset: String(offset) }));
      if (partitions.length === 0) continue;
      await this.use(`can't drop records of ${topic}`, (admin) => admin.deleteTopicRecords({ topic, partitions }));
      dropped += partitions.length;
    }
    return dropped;
  }

  /** Offsets that a group committed; partitions without a commit are omitted. */
  async committed(group: string, topics: readonly string[]): Promise<TopicOffset[]> {
    const found = await this.use(`can't read the offsets of ${group}`, (admin) =>
      admin.fetchOffsets({ groupId: group, topics: [...topics] }),
    );
    return found.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })).filter(({ offset }) => offset >= 0),
    );
  }

  /** Runs work on the admin connection, with a new connection after a fault. @throws InfrastructureFault */
  use<T>(what: string, work: (admin: Admin) => Promise<T>): Promise<T> {
    return retried(retryPlans.kafka_admin, () => this.useOnce(what, work));
  }

  private async useOnce<T>(what: string, work: (admin: Admin) => Promise<T>): Promise<T> {
    this.admin ??= this.connect();
    const { admin } = this;
    try {
      return await within(this.answer_ms, what, admin.then(work));
    } catch (error) {
      if (this.admin === admin) this.admin = undefined;
      void admin.then((failed) => failed.disconnect()).catch(() => {});
      throw faultOf(what, error);
    }
  }

  async close(): Promise<void> {
    const closing = Promise.resolve(this.admin).then((admin) => admin?.disconnect());
    await within(this.answer_ms, 'close', closing).catch(() => {});
  }

  /** Twice the limit of one request: the admin may have to connect, or to find the controller. */
  private get answer_ms(): number {
    return 2 * requestTimeoutMs(this.settings.request_timeout_ms);
  }

  private async connect(): Promise<Admin> {
    const client = new KafkaClient(this.settings, 'admin');
    const admin = client.kafka.admin();
    admin.on(admin.events.REQUEST_TIMEOUT, () => client.cut());
    try {
      await admin.connect();
    } catch (error) {
      void admin.disconnect().catch(() => {});
      throw error;
    }
    return admin;
  }

  private async ready(names: readonly string[]): Promise<void> {
    const until = performance.now() + READY_MS;
    for (;;) {
      const found = await this.use("can't read topics", (admin) => admin.fetchTopicMetadata());
      const led = found.topics.filter(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0));
      this.learn({ topics: led });
      if (names.every((name) => this.counts.has(name))) return;
      if (performance.now() > until) throw faultOf(`no leader was elected for ${names.join(', ')}`, 'in time');
      await sleep(POLL_MS);
    }
  }

  private learn(found: { topics: readonly { name: string; partitions: readonly unknown[] }[] }): void {
    for (const { name, partitions } of found.topics) if (partitions.length > 0) this.counts.set(name, partitions.length);
  }
}
