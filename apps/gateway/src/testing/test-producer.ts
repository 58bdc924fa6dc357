import { setTimeout as sleep } from 'node:timers/promises';
import { producerTopics } from '@countersign/contracts';
import type { EventLog, LogRecord } from '@countersign/event-log';

const PATIENCE_MS = 20_000;

/** A record on the answer topic. */
export interface Answered {
  event_type: string;
  key: string | null;
  request_id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of any shape
  body: any;
}

/** Writes to the topic of a producer, and reads its answers. */
export class TestProducer {
  constructor(
    private readonly log: EventLog,
    readonly producer_id: string,
  ) {}

  /** Writes a value: JSON of an object, or the bytes. @returns its request id, if it names none itself */
  async produce(value: object | Buffer, partition = 0, headers: Record<string, string> = {}): Promise<string> {
    const [position] = await this.produceAll([value], partition, headers);
    return position as string;
  }

  async produceAll(values: readonly (object | Buffer)[], partition = 0, headers: Record<string, string> = {}): Promise<string[]> {
    const topic = producerTopics(this.producer_id).requests;
    const bytes = values.map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))));
    const offsets = await this.log.append(bytes.map((value) => ({ topic, partition, key: 'any', value, headers })));
    return offsets.map((offset) => `${topic}/${partition}/${offset}`);
  }

  async answers(): Promise<Answered[]> {
    const topic = producerTopics(this.producer_id).answers;
    const found: LogRecord[] = [];
    for (let partition = 0; partition < this.log.partitions(topic); partition++)
      found.push(...(await this.log.read(topic, partition, 0, 10_000)));
    return found.map(({ headers, key, value }) => ({
      event_type: headers.event_type as string,
      key,
      request_id: headers.request_id,
      body: JSON.parse(value.toString()),
    }));
  }

  /** The first answer that fits. @throws if none comes */
  async answer(fits: (answer: Answered) => boolean): Promise<Answered> {
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(50)) {
      const found = (await this.answers()).find(fits);
      if (found) return found;
    }
    throw new Error(
      `no such answer; there are ${JSON.stringify((await this.answers()).map(({ event_type, body }) => [event_type, body.status, body.detail]))}`,
    );
  }

  answerTo(request_id: string): Promise<Answered> {
    return this.answer((answer) => answer.request_id === request_id || answer.body.instance === request_id);
  }
}
