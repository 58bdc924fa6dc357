import type { Subscription } from '../event-log.js';
import type { BrokerLink, Fetched } from './broker-link.js';
import { faultOf, sleep } from './kafka-client.js';
import type { KafkaSettings } from './kafka-options.js';
import type { PartitionReader } from './partition-reader.js';
import type { StuckPosition } from './stall-guard.js';

const SUPERVISE_MS = 1_000;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;

/** Long-polls every broker that leads a partition of the readers, with one loop for each broker, and passes the records to the readers. */
export class FetchLoop {
  private readonly readers = new Map<string, PartitionReader>();
  private readonly loops = new Map<string, Promise<void>>();
  private readonly supervisor: Promise<void>;
  private closed = false;
  private readonly wakers = new Set<() => void>();

  constructor(
    private readonly link: BrokerLink,
    private readonly settings: KafkaSettings,
    private readonly patience: Pick<Subscription, 'max_delay_ms' | 'delayed_topics'> = {},
  ) {
    this.supervisor = this.supervise();
  }

  add(reader: PartitionReader): void {
    this.readers.set(`${reader.topic}/${reader.partition}`, reader);
    this.wake();
  }

  remove(reader: PartitionReader): void {
    const key = `${reader.topic}/${reader.partition}`;
    if (this.readers.get(key) === reader) this.readers.delete(key);
  }

  all(): readonly PartitionReader[] {
    return [...this.readers.values()];
  }

  /** Readers that have waited since before this time, not counting time in their handler. */
  stuck(before_ms: number): StuckPosition[] {
    return this.all().flatMap(({ topic, partition, handled, idleSince: since_ms, waitsFor: waits_for }) =>
      since_ms !== undefined && since_ms < before_ms ? [{ topic, partition, handled, since_ms, waits_for }] : [],
    );
  }

  wake(): void {
    for (const waker of [...this.wakers]) waker();
  }

  /** Milliseconds since all of the topic's readers were last known to have handled everything. */
  staleness_ms(topic: string): number {
    let complete_at_ms = Number.POSITIVE_INFINITY;
    for (const reader of this.readers.values())
      if (reader.topic === topic) complete_at_ms = Math.min(complete_at_ms, reader.complete_at_ms);
    return complete_at_ms === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : performance.now() - complete_at_ms;
  }

  /** Resolves when the current readers have handled everything below the current heads. */
  async caughtUp(): Promise<void> {
    const readers = this.all();
    const heads = await this.retried(() => this.link.heads(readers));
    for (const [index, reader] of readers.entries())
      while (!this.closed && this.readers.get(`${reader.topic}/${reader.partition}`) === reader && reader.handled < (heads[index] ?? 0))
        await sleep(5);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.wake();
    await Promise.all(this.all().map((reader) => reader.stop()));
    await this.supervisor;
    await Promise.all(this.loops.values());
    await this.link.close();
  }

  private async supervise(): Promise<void> {
    while (!this.closed) {
      try {
        await this.link.want([...new Set(this.all().map(({ topic }) => topic))]);
        for (const node of this.link.nodes()) if (!this.loops.has(node)) this.loops.set(node, this.poll(node));
      } catch (error) {
        this.settings.warn('no Kafka broker is reachable for reads', {
          event: 'kafka_brokers_unavailable',
          error: faultOf('fetch', error).message,
        });
        await this.link.recover(error);
      }
      await this.idle(SUPERVISE_MS);
    }
  }

  private async poll(node: string): Promise<void> {
    let retry_ms = RETRY_FIRST_MS;
    let patient_at_ms = 0;
    while (!this.closed) {
      const readers = this.all().filter((reader) => reader.wants && this.link.leader(reader.topic, reader.partition) === node);
      const sent_at_ms = performance.now();
      const left_ms = Math.ceil(patient_at_ms - sent_at_ms);
      const wanted = left_ms > 0 ? readers.filter(({ topic }) => !this.isPatient(topic)) : readers;
      if (wanted.length === 0) {
        await this.idle(readers.length > 0 ? left_ms : this.settings.fetch_wait_ms);
        continue;
      }
      // Without the patient readers the fetch may wait their delay again: under load it returns earlier, with records.
      const wait_ms = Math.min(this.settings.fetch_wait_ms, wanted.length < readers.length ? this.max_delay_ms : Number.POSITIVE_INFINITY);
      try {
        const positions = wanted.map(({ topic, partition, position }) => ({ topic, partition, offset: position }));
        const fetched = await this.link.fetch(node, positions, wait_ms);
        this.hand(fetched, sent_at_ms);
        retry_ms = RETRY_FIRST_MS;
        if (this.pauses(fetched)) patient_at_ms = performance.now() + this.max_delay_ms;
        await this.gather(sent_at_ms);
      } catch (error) {
        if (this.closed) break;
        if (isOutOfRange(error) && (await this.passDropped(wanted))) continue;
        this.settings.warn('fetch failed', { event: 'kafka_fetch_failed', node, error: faultOf('fetch', error).message });
        await sleep(retry_ms);
        await this.link.recover(error);
        retry_ms = Math.min(retry_ms * 2, RETRY_MAX_MS);
      }
    }
  }

  /** Whether records of the topic may arrive later if they then arrive in larger batches. */
  private isPatient(topic: string): boolean {
    return this.max_delay_ms > 0 && (this.patience.delayed_topics?.includes(topic) ?? true);
  }

  private get max_delay_ms(): number {
    return this.patience.max_delay_ms ?? 0;
  }

  /** Patient readers that received all available records pause; readers that lag do not. */
  private pauses(fetched: readonly Fetched[]): boolean {
    const brought = fetched.filter(({ topic, records }) => records.length > 0 && this.isPatient(topic));
    return brought.length > 0 && brought.every(({ records, head }) => (records.at(-1)?.offset ?? 0) + 1 >= head);
  }

  /**
   * A fetch names every partition and costs far more than a record: under load the next fetch is delayed, so that it returns a batch. A
   * reader whose long poll already took longer is not delayed.
   */
  private async gather(sent_at_ms: number): Promise<void> {
    const left_ms = this.settings.fetch_every_ms - (performance.now() - sent_at_ms);
    if (left_ms > 0 && !this.closed) await sleep(left_ms);
  }

  /** Skips records that were dropped before they were read. @returns whether a reader was below the first remaining offset */
  private async passDropped(readers: readonly PartitionReader[]): Promise<boolean> {
    const firsts = await this.link.firsts(readers).catch(() => []);
    const passed = readers.filter((reader, at) => reader.pass(firsts[at] ?? 0));
    for (const { topic, partition, position } of passed)
      this.settings.warn('records were dropped by retention before they were read', {
        event: 'records_dropped_unread',
        topic,
        partition,
        first: position,
      });
    return passed.length > 0;
  }

  private hand(fetched: readonly Fetched[], sent_at_ms: number): void {
    for (const part of fetched) this.readers.get(`${part.topic}/${part.partition}`)?.accept(part, sent_at_ms);
  }

  private async retried<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (this.closed) throw faultOf('the reader is closed', error);
        await sleep(RETRY_MAX_MS / 2);
        await this.link.recover(error);
      }
    }
  }

  private idle(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.wakers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.wakers.add(end);
    });
  }
}

const isOutOfRange = (error: unknown): boolean => (error as { name?: string }).name === 'KafkaJSOffsetOutOfRange';
