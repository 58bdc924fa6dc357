import type { Broker, Cluster, KafkaMessage } from 'kafkajs';
import type { LogRecord } from '../event-log.js';
import { FETCH_BYTES_MAX, PARTITION_BYTES_MAX, requestTimeoutMs } from './fetch-limits.js';
import { KafkaClient } from './kafka-client.js';
import type { KafkaSettings } from './kafka-options.js';
import { within } from './within.js';

const READ_BYTES_MIN = 16 * 1024;
const RECORD_BYTES = 1024;

export interface FetchPosition {
  topic: string;
  partition: number;
  offset: number;
}

/** The records of one partition at and after the requested position. */
export interface Fetched extends FetchPosition {
  /** The partition's head at the time of the response. */
  head: number;
  records: LogRecord[];
  /** Position of the next fetch: after the received records, readable or not. */
  next: number;
}

interface FetchReply {
  responses: { topicName: string; partitions: { partition: number; highWatermark: string; messages: KafkaMessage[] }[] }[];
}

/**
 * Fetches by position only: no group, no seeking, no waiting for handlers of other partitions. kafkajs's consumer has no random read,
 * restarts every partition from its committed offset at each rebalance and waits for all handlers before the next fetch. It does pass its
 * `Cluster` (typed, public) to its partition assigner, which is taken here from a consumer that is never started. One link has one
 * connection to each broker for fetches, which a broker serves one at a time: a long poll delays everything else on the same link.
 */
export class BrokerLink {
  private current: Cluster | undefined;
  private opening: Promise<Cluster> | undefined;
  private client: KafkaClient | undefined;
  private readonly topics = new Set<string>();
  private closed = false;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly name: string,
  ) {}

  /** Loads the leaders of these topics. @throws if no broker responds. */
  async want(topics: readonly string[]): Promise<void> {
    for (const topic of topics) this.topics.add(topic);
    await this.answered('metadata', async () => (await this.cluster()).addMultipleTargetTopics([...topics]));
  }

  nodes(): readonly string[] {
    return this.current?.getNodeIds().map(String) ?? [];
  }

  /** The node that leads a partition, if known. */
  leader(topic: string, partition: number): string | undefined {
    const found = this.metadata(topic).find((known) => known.partitionId === partition);
    return found === undefined || found.leader < 0 ? undefined : String(found.leader);
  }

  partitions(topic: string): number {
    return this.metadata(topic).length;
  }

  /** @throws any fault of the connection or the partitions; call `recover` before a retry. */
  async fetch(node: string, positions: readonly FetchPosition[], wait_ms: number, bytes_max = PARTITION_BYTES_MAX): Promise<Fetched[]> {
    const requested = new Map(positions.map((position) => [`${position.topic}/${position.partition}`, position.offset]));
    const reply = await this.answered('fetch', async () => {
      const cluster = await this.cluster();
      await cluster.refreshMetadataIfNecessary();
      const broker: Broker = await cluster.findBroker({ nodeId: node });
      return (await broker.fetch({
        maxWaitTime: wait_ms,
        minBytes: 1,
        maxBytes: FETCH_BYTES_MAX,
        isolationLevel: 0,
        topics: fetchTopics(positions, bytes_max),
      })) as FetchReply;
    });
    return reply.responses.flatMap(({ topicName, partitions }) =>
      partitions.map(({ partition, highWatermark, messages }) => {
        const offset = requested.get(`${topicName}/${partition}`) ?? 0;
        return {
          topic: topicName,
          partition,
          offset,
          head: Number(highWatermark),
          records: logRecords(topicName, partition, offset, messages),
          next: Math.max(offset, Number(messages[messages.length - 1]?.offset ?? -1) + 1),
        };
      }),
    );
  }

  /** The offsets after the newest durable records, in the order of the request. */
  heads(partitions: readonly { topic: string; partition: number }[]): Promise<number[]> {
    return this.ends(partitions, false);
  }

  /** The first remaining offsets, in the order of the request. */
  firsts(partitions: readonly { topic: string; partition: number }[]): Promise<number[]> {
    return this.ends(partitions, true);
  }

  private async ends(partitions: readonly { topic: string; partition: number }[], fromBeginning: boolean): Promise<number[]> {
    const topics = byTopic(partitions);
    await this.want([...topics.keys()]);
    const wanted = [...topics].map(([topic, requested]) => ({
      topic,
      partitions: requested.map(({ partition }) => ({ partition })),
      fromBeginning,
    }));
    const found = await this.answered('offsets', async () => (await this.cluster()).fetchTopicsOffset(wanted));
    const heads = new Map(
      found.flatMap(({ topic, partitions: ends }) => ends.map((end) => [`${topic}/${end.partition}`, Number(end.offset)])),
    );
    return partitions.map(({ topic, partition }) => {
      const head = heads.get(`${topic}/${partition}`);
      if (head === undefined) throw new Error(`Kafka does not know ${topic}/${partition}`);
      return head;
    });
  }

  /** The first offset whose record was appended at this time or later; the head if there is none. */
  async since({ topic, partition }: { topic: string; partition: number }, time_ms: number): Promise<number> {
    await this.want([topic]);
    const wanted = [{ topic, partitions: [{ partition }], fromTimestamp: Math.max(0, time_ms) }];
    const [found] = await this.answered('offsets', async () => (await this.cluster()).fetchTopicsOffset(wanted));
    const offset = Number(found?.partitions[0]?.offset ?? -1);
    return offset >= 0 ? offset : ((await this.heads([{ topic, partition }]))[0] as number);
  }

  /** After a fault: loads the leaders again, or reconnects if even that fails. */
  async recover(error: unknown): Promise<void> {
    const cluster = this.current;
    if (!cluster || this.closed) return;
    const { name, host, port } = (error ?? {}) as { name?: string; host?: string; port?: number };
    try {
      if (name === 'KafkaJSConnectionClosedError' && host && port) cluster.removeBroker({ host, port });
      await this.answered('metadata', () => cluster.refreshMetadata());
    } catch {
      if (this.current === cluster) this.reset();
    }
  }

  /** Drops the client with all its connections and pending requests; the next request opens another. */
  reset(): void {
    const { current, client } = this;
    this.current = undefined;
    this.opening = undefined;
    this.client = undefined;
    client?.retire();
    void current?.disconnect().catch(() => {});
  }

  async close(): Promise<void> {
    this.closed = true;
    await within(this.answer_ms, 'close', Promise.resolve(this.opening)).catch(() => {});
    await within(this.answer_ms, 'close', Promise.resolve(this.current?.disconnect())).catch(() => {});
    this.reset();
  }

  private metadata(topic: string): ReturnType<Cluster['findTopicPartitionMetadata']> {
    try {
      return this.current?.findTopicPartitionMetadata(topic) ?? [];
    } catch {
      return []; // kafkajs throws while no metadata is loaded
    }
  }

  private cluster(): Promise<Cluster> {
    if (this.closed) return Promise.reject(new Error('the link is closed'));
    if (this.current) return Promise.resolve(this.current);
    if (this.opening) return this.opening;
    const opening = this.open().finally(() => {
      if (this.opening === opening) this.opening = undefined;
    });
    this.opening = opening;
    return opening;
  }

  /** Bounds every request: one that kafkajs never settles discards its client. */
  private async answered<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { client } = this;
    let settled = false;
    try {
      return await within(
        this.answer_ms,
        what,
        work().finally(() => {
          settled = true;
        }),
      );
    } catch (error) {
      if (!settled && (client === undefined || client === this.client)) this.reset();
      throw error;
    }
  }

  /** Twice the limit of one request: a client may have to connect first. */
  private get answer_ms(): number {
    return 2 * requestTimeoutMs(this.settings.request_timeout_ms);
  }

  private async open(): Promise<Cluster> {
    const client = new KafkaClient(this.settings, this.name);
    const cluster = clusterOf(client, `${this.settings.client_id}.${this.name}`);
    this.client = client;
    try {
      await cluster.connect();
      await cluster.addMultipleTargetTopics([...this.topics]);
      if (this.client !== client) throw new Error('the Kafka client was replaced while it connected');
    } catch (error) {
      void cluster.disconnect().catch(() => {});
      throw error;
    }
    this.current = cluster;
    return cluster;
  }
}

function clusterOf(client: KafkaClient, groupId: string): Cluster {
  let cluster: Cluster | undefined;
  const consumer = client.kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    metadataMaxAge: 30_000,
    partitionAssigners: [
      (given) => {
        cluster = given.cluster;
        return { name: 'none', version: 0, assign: async () => [], protocol: () => ({ name: 'none', metadata: Buffer.alloc(0) }) };
      },
    ],
  });
  consumer.on(consumer.events.REQUEST_TIMEOUT, () => client.cut());
  if (!cluster) throw new Error('kafkajs passed no cluster to the partition assigner');
  return cluster;
}

function byTopic<T extends { topic: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.topic);
    if (group) group.push(item);
    else groups.set(item.topic, [item]);
  }
  return groups;
}

/**
 * Approximate size of this many records: a read of one need not fetch and decode a thousand. A first batch is always returned completely.
 */
export function readBytes(records: number): number {
  return Math.min(PARTITION_BYTES_MAX, Math.max(READ_BYTES_MIN, records * RECORD_BYTES));
}

function fetchTopics(positions: readonly FetchPosition[], maxBytes: number) {
  return [...byTopic(positions)].map(([topic, requested]) => ({
    topic,
    partitions: requested.map(({ partition, offset }) => ({ partition, fetchOffset: String(offset), maxBytes })),
  }));
}

/** A broker returns whole batches: records before the position are removed. */
function logRecords(topic: string, partition: number, from: number, messages: readonly KafkaMessage[]): LogRecord[] {
  const records: LogRecord[] = [];
  for (const message of messages) {
    const offset = Number(message.offset);
    if (offset < from || (message as { isControlRecord?: boolean }).isControlRecord) continue;
    records.push({
      topic,
      partition,
      offset,
      key: message.key === null ? null : message.key.toString('utf8'),
      value: message.value ?? Buffer.alloc(0),
      headers: headerTexts(message.headers),
      timestamp_ms: Number(message.timestamp),
    });
  }
  return records;
}

function headerTexts(headers: KafkaMessage['headers']): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) texts[name] = (Array.isArray(value) ? (value[0] ?? '') : value).toString();
  }
  return texts;
}
