import type { Follower, LogBatch, RunningSubscription } from '../event-log.js';
import type { BrokerLink } from './broker-link.js';
import { FetchLoop } from './fetch-loop.js';
import { headsProbe } from './heads-probe.js';
import type { KafkaSettings } from './kafka-options.js';
import { PartitionReader } from './partition-reader.js';
import { StallGuard } from './stall-guard.js';

/** Reads every partition of some topics, by position and without a group. */
export class KafkaFollower implements RunningSubscription {
  private readonly loop: FetchLoop;
  private readonly guard: StallGuard;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly link: BrokerLink,
    private readonly follower: Follower,
  ) {
    this.loop = new FetchLoop(link, settings, follower);
    const watched = { stuck: (before_ms: number) => this.loop.stuck(before_ms), rebuild: () => this.link.reset() };
    this.guard = new StallGuard(settings, `follower of ${follower.topics.join(', ')}`, watched, headsProbe(settings));
  }

  /** @throws if a topic does not exist or no broker responds. */
  async start(): Promise<void> {
    const { topics, from } = this.follower;
    await this.link.want(topics);
    const partitions = topics.flatMap((topic) => numbersBelow(this.link.partitions(topic)).map((partition) => ({ topic, partition })));
    for (const topic of topics) if (this.link.partitions(topic) === 0) throw new Error(`Kafka has no topic ${topic}`);
    const heads = from === 'head' ? await this.link.heads(partitions) : [];
    // Lower records were dropped: readers of them start at the first remaining offset.
    const firsts = from === 'head' ? [] : await this.link.firsts(partitions);
    const given = new Map(typeof from === 'string' ? [] : from.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
    for (const [index, { topic, partition }] of partitions.entries())
      this.loop.add(this.reader(topic, partition, heads[index] ?? Math.max(firsts[index] ?? 0, given.get(`${topic}/${partition}`) ?? 0)));
    this.guard.start();
  }

  get stalled(): boolean {
    return this.guard.stalled;
  }

  /** Followers have no group and commit nothing. */
  commit(): void {}

  staleness_ms(topic: string): number {
    return this.loop.staleness_ms(topic);
  }

  caughtUp(): Promise<void> {
    return this.loop.caughtUp();
  }

  close(): Promise<void> {
    this.guard.close();
    return this.loop.close();
  }

  private reader(topic: string, partition: number, offset: number): PartitionReader {
    return new PartitionReader({
      topic,
      partition,
      offset,
      batch_records_max: this.follower.batch_records_max,
      onBatch: (batch: LogBatch) => this.follower.onBatch(batch),
      clear: () => Promise.resolve(),
      onCapacity: () => this.loop.wake(),
      warn: (message, detail) => this.settings.warn(message, detail),
    });
  }
}

function numbersBelow(end: number): number[] {
  return Array.from({ length: end }, (_, number) => number);
}
