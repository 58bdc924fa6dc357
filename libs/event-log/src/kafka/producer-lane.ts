import { InfrastructureFault } from '@countersign/contracts';
import type { Message, Producer, RecordMetadata } from 'kafkajs';
import { type AppendPart, PART_BYTES_MAX } from './append-call.js';
import { faultOf, KafkaClient, shortRetry, sleep } from './kafka-client.js';
import type { KafkaSettings } from './kafka-options.js';
import { within } from './within.js';

const BATCH_RECORDS_MAX = 500;
/** Limit of all retries of one send: kafkajs then never settles, and its producer is replaced. */
const SEND_MS = 180_000;
const QUEUE_RECORDS_MAX = 50_000;
/** Fewer records in a send mean little load: then no send is delayed. */
const BUSY_RECORDS = 4;
/** Delay of the next send for each record of the previous one. */
const WAIT_A_RECORD_MS = 0.75;

/**
 * One idempotent producer and its queue. kafkajs rolls a partition's sequence back when a reply is lost, and releases the broker before
 * it retries; a second send would use the same sequence, be acknowledged as 'duplicate' and never be stored. So **at most one send is
 * outstanding**: records that arrive meanwhile form the next batch, and the retry sends the same records with the same sequence. When
 * kafkajs gives up, the sequence is rolled back although the records may be stored: the producer is discarded with its id. With several
 * brokers a send contains one partition only: kafkajs retries a send to several leaders as soon as the first of them fails, so that
 * partitions of the others are written twice or, when a leader moves, not at all.
 */
export class ProducerLane {
  private queue: AppendPart[] = [];
  private queued_records = 0;
  private sending: readonly AppendPart[] = [];
  private sent_at_ms = Number.NEGATIVE_INFINITY;
  private sent_records = 0;
  private busy = false;
  private closed = false;
  private client: KafkaClient;
  private producer: Producer | undefined;
  private readonly overdueTimer: NodeJS.Timeout;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly name: string,
    private readonly spansPartitions: () => boolean,
  ) {
    this.client = new KafkaClient(settings, name);
    this.overdueTimer = setInterval(() => this.failOverdue(), Math.min(500, settings.append_timeout_ms / 4));
    this.overdueTimer.unref();
  }

  enqueue(part: AppendPart): void {
    if (this.closed || this.queued_records > QUEUE_RECORDS_MAX) {
      part.call.fail(new InfrastructureFault(this.closed ? 'the log is closed' : 'too many records wait to be sent to Kafka'));
      return;
    }
    this.queue.push(part);
    this.queued_records += part.messages.length;
    if (!this.busy) {
      this.busy = true;
      queueMicrotask(() => void this.pump());
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.overdueTimer);
    const until = performance.now() + this.settings.append_timeout_ms;
    while (this.busy && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const part of [...this.queue, ...this.sending])
      part.call.fail(new InfrastructureFault('the log was closed before Kafka acknowledged the records'));
    this.queue = [];
    await within(this.settings.append_timeout_ms, 'close', Promise.resolve(this.producer?.disconnect())).catch(() => {});
    this.client.retire();
  }

  private async pump(): Promise<void> {
    await this.gather();
    for (let batch = this.take(); batch.length > 0; batch = this.take()) {
      this.sending = batch;
      this.sent_at_ms = performance.now();
      this.sent_records = batch.reduce((sum, part) => sum + part.messages.length, 0);
      try {
        await within(SEND_MS, 'send', this.send(batch));
      } catch (error) {
        const fault = faultOf('Kafka did not accept the records', error);
        for (const part of batch) part.call.fail(fault);
        this.settings.warn('append failed', { event: 'append_failed', part: this.name, error: fault.message });
        this.discard();
      }
      this.sending = [];
      if (this.queue.length > 0) await this.gather();
    }
    this.busy = false;
  }

  /** If the previous send had several records, the next one is delayed, the longer the more there were. */
  private async gather(): Promise<void> {
    const every_ms = Math.min(this.settings.send_every_ms, this.sent_records * WAIT_A_RECORD_MS);
    const left_ms = every_ms - (performance.now() - this.sent_at_ms);
    if (left_ms > 0 && this.sent_records >= BUSY_RECORDS && !this.closed) await sleep(left_ms);
  }

  /** The next batch: complete parts in the order of their arrival. */
  private take(): AppendPart[] {
    const taken: AppendPart[] = [];
    const left: AppendPart[] = [];
    let records = 0;
    let bytes = 0;
    let full = false;
    const spans = this.spansPartitions();
    for (const part of this.queue) {
      if (part.call.failed) continue;
      const first = taken[0];
      const fits = !first || (records + part.messages.length <= BATCH_RECORDS_MAX && bytes + part.bytes <= PART_BYTES_MAX);
      const belongs = !first || spans || (part.topic === first.topic && part.partition === first.partition);
      if (!full && fits && belongs) {
        taken.push(part);
        records += part.messages.length;
        bytes += part.bytes;
      } else {
        if (belongs) full = true;
        left.push(part);
      }
    }
    this.queue = left;
    this.queued_records = left.reduce((sum, part) => sum + part.messages.length, 0);
    return taken;
  }

  private async send(batch: readonly AppendPart[]): Promise<void> {
    const producer = await this.connected();
    const answers = await producer.sendBatch({
      acks: -1,
      timeout: this.settings.request_timeout_ms,
      topicMessages: messagesByTopic(batch),
    });
    const next = new Map(answers.map((answer) => [`${answer.topicName}/${answer.partition}`, baseOf(answer)]));
    const times = new Map(answers.map((answer) => [`${answer.topicName}/${answer.partition}`, timeOf(answer)]));
    for (const part of batch) {
      const key = `${part.topic}/${part.partition}`;
      const base = next.get(key);
      if (base === undefined || !(base >= 0)) throw new InfrastructureFault(`Kafka returned no offset for the records of ${key}`);
      next.set(key, base + part.messages.length);
      part.call.acknowledge(part, base, times.get(key));
    }
  }

  private async connected(): Promise<Producer> {
    if (this.producer) return this.producer;
    this.client = new KafkaClient(this.settings, this.name);
    const { client } = this;
    const producer = client.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      metadataMaxAge: 30_000,
      createPartitioner: () => (choice) => choice.message.partition ?? 0,
      retry: { ...shortRetry, retries: this.settings.send_retries },
    });
    producer.on(producer.events.REQUEST_TIMEOUT, () => client.cut());
    await producer.connect();
    this.producer = producer;
    return producer;
  }

  private discard(): void {
    const { producer } = this;
    this.producer = undefined;
    this.client.retire();
    void producer?.disconnect().catch(() => {});
  }

  private failOverdue(): void {
    const limit = performance.now() - this.settings.append_timeout_ms;
    for (const part of [...this.sending, ...this.queue])
      if (part.call.since_ms < limit)
        part.call.fail(new InfrastructureFault(`Kafka did not acknowledge the records within ${this.settings.append_timeout_ms} ms`));
  }
}

function messagesByTopic(batch: readonly AppendPart[]): { topic: string; messages: Message[] }[] {
  const byTopic = new Map<string, Message[]>();
  for (const part of batch) {
    const messages = byTopic.get(part.topic);
    if (messages) for (const message of part.messages) messages.push(message);
    else byTopic.set(part.topic, [...part.messages]);
  }
  return [...byTopic].map(([topic, messages]) => ({ topic, messages }));
}

/** The time that the broker gave to all records of the batch; undefined if the topic keeps the times of producers. */
function timeOf({ logAppendTime }: RecordMetadata): number | undefined {
  const time_ms = Number(logAppendTime ?? -1);
  return time_ms >= 0 ? time_ms : undefined;
}

function baseOf(answer: RecordMetadata): number | undefined {
  return answer.baseOffset === undefined ? undefined : Number(answer.baseOffset);
}
