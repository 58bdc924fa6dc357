import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Kafka, type Message, type Producer } from 'kafkajs';

const { Kafka: Client, logLevel } = kafkajs;
const PATIENCE_MS = 60_000;

/** A record on the answer topic. */
export interface OutsideAnswer {
  event_type: string;
  request_id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of any shape
  body: any;
}

/** A producer with kafkajs alone, as a company outside would write it; its partitioner chooses the partitions. */
export class OutsideProducer {
  readonly answers: OutsideAnswer[] = [];
  private readonly consumer;

  private constructor(
    readonly kafka: Kafka,
    private readonly producer: Producer,
    readonly topic: string,
    private readonly answer_topic: string,
    group: string,
  ) {
    this.consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 100 });
  }

  static async open(brokers: string, prefix: string, producer_id: string): Promise<OutsideProducer> {
    const kafka = new Client({ clientId: 'outside', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
    const producer = kafka.producer();
    await producer.connect();
    const group = `${prefix}producer.${producer_id}.test`;
    const topic = `${prefix}tool-call-requested.from.${producer_id}`;
    const one = new OutsideProducer(kafka, producer, topic, `${prefix}tool-call-answered.to.${producer_id}`, group);
    await one.listen();
    return one;
  }

  private async listen(): Promise<void> {
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [this.answer_topic], fromBeginning: true });
    await this.consumer.run({
      eachMessage: async ({ message }) => {
        const { event_type, request_id } = message.headers ?? {};
        const body = JSON.parse(String(message.value));
        this.answers.push({ event_type: String(event_type), request_id: request_id && String(request_id), body });
      },
    });
  }

  async send(messages: readonly Message[], compression = 0): Promise<void> {
    await this.producer.send({ topic: this.topic, messages: [...messages], compression, acks: -1 });
  }

  /** Asks for calls; their request ids are given. */
  async ask(calls: readonly { request_id: string; tool: string; inputs: object }[]): Promise<void> {
    const value = ({ request_id, ...call }: (typeof calls)[number]) =>
      JSON.stringify({ event_type: 'tool_call_requested', ...call, context: { request_id } });
    await this.send(calls.map((call) => ({ key: call.request_id, value: value(call) })));
  }

  /** The newest answer to each of these requests. @throws if one does not come */
  async answersTo(request_ids: readonly string[], patience_ms = PATIENCE_MS): Promise<OutsideAnswer[]> {
    const newest = () => new Map(this.answers.filter(({ body }) => body.status !== 'pending_approval').map((one) => [one.request_id, one]));
    for (const until = performance.now() + patience_ms; performance.now() < until; await sleep(50)) {
      const known = newest();
      if (request_ids.every((id) => known.has(id))) return request_ids.map((id) => known.get(id) as OutsideAnswer);
    }
    throw new Error(`no answer to ${request_ids.filter((id) => !newest().has(id)).join(', ')}`);
  }

  async close(): Promise<void> {
    await this.producer.disconnect();
    await this.consumer.disconnect();
  }
}
