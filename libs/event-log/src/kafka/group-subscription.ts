import type { RunningSubscription, Subscription, TopicOffset } from '../event-log.js';
import type { BrokerLink } from './broker-link.js';
import { FetchLoop } from './fetch-loop.js';
import { GroupMembership } from './group-membership.js';
import { headsProbe } from './heads-probe.js';
import { faultOf, sleep } from './kafka-client.js';
import type { KafkaSettings } from './kafka-options.js';
import { PartitionReader } from './partition-reader.js';
import { StallGuard, type StuckPosition } from './stall-guard.js';

const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;
const UNSURE_MS = 20;

type Assignment = Readonly<Record<string, readonly number[]>>;

/** A member of a group: GroupMembership handles membership, one FetchLoop fetches records by position. */
export class GroupSubscription implements RunningSubscription {
  private readonly membership: GroupMembership;
  private readonly loop: FetchLoop;
  private target: Assignment = {};
  /** Partition numbers announced by onAssigned and not yet by onRevoked, with the number of the assignment. */
  private readonly announced = new Map<number, number>();
  private stays = 0;
  /** Numbers whose readers were stopped: announced as revoked even if they were assigned again meanwhile. */
  private readonly lost = new Set<number>();
  private readonly ending = new Map<string, Promise<void>>();
  private settling: Promise<void> | undefined;
  private readonly guard: StallGuard;
  /** Since when Kafka has not returned a start offset. */
  private offsets_since_ms: number | undefined;
  private settled = false;
  private closed = false;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly link: BrokerLink,
    private readonly subscription: Subscription,
    private readonly committed: (group: string, topics: readonly string[]) => Promise<readonly TopicOffset[]>,
  ) {
    this.loop = new FetchLoop(link, settings, subscription);
    this.membership = new GroupMembership(settings, subscription.group, subscription.topics, {
      onAssignment: (assignment) => this.retarget(assignment),
    });
    const rebuild = (stuck: readonly StuckPosition[]) => this.rebuild(stuck);
    this.guard = new StallGuard(
      settings,
      subscription.group,
      { stuck: (before_ms) => this.stuck(before_ms), rebuild },
      headsProbe(settings),
    );
  }

  async start(): Promise<void> {
    await this.membership.start();
    this.guard.start();
  }

  get stalled(): boolean {
    return this.guard.stalled;
  }

  commit(offsets: readonly TopicOffset[]): void {
    this.membership.commit(offsets.filter(({ topic, partition }) => this.isMine(topic, partition)));
  }

  staleness_ms(topic: string): number {
    return this.loop.staleness_ms(topic);
  }

  async caughtUp(): Promise<void> {
    while (!this.settled && !this.closed) await sleep(UNSURE_MS);
    await this.loop.caughtUp();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.guard.close();
    await this.loop.close();
    await this.settling;
    await this.membership.close();
  }

  private stuck(before_ms: number): StuckPosition[] {
    const unsure = this.membership.unsureSince;
    if (unsure !== undefined && unsure < before_ms) return this.everywhere('membership', unsure);
    if (this.offsets_since_ms !== undefined && this.offsets_since_ms < before_ms) return this.everywhere('offsets', this.offsets_since_ms);
    return this.loop.stuck(before_ms);
  }

  /** A member without readers does not know the progress of its partitions: any record in them may be unread. */
  private everywhere(waits_for: StuckPosition['waits_for'], since_ms: number): StuckPosition[] {
    const readers = this.loop.all();
    return this.subscription.topics.flatMap((topic) =>
      Array.from({ length: Math.max(1, this.link.partitions(topic)) }, (_, partition) => {
        const reader = readers.find((one) => one.topic === topic && one.partition === partition);
        return { topic, partition, handled: reader?.handled ?? 0, since_ms, waits_for };
      }),
    );
  }

  private rebuild(stuck: readonly StuckPosition[]): void {
    this.link.reset();
    if (stuck.some(({ waits_for }) => waits_for === 'membership')) this.membership.rebuild();
  }

  private isMine(topic: string, partition: number): boolean {
    return this.target[topic]?.includes(partition) ?? false;
  }

  /** Stops readers of revoked partitions at once; announcements and starts follow in order. */
  private retarget(assignment: Assignment): void {
    this.target = assignment;
    this.settled = false;
    this.offsets_since_ms = undefined;
    this.membership.hold(numbersOf(assignment));
    this.membership.forget((topic, partition) => this.isMine(topic, partition));
    for (const reader of this.loop.all()) if (!this.isMine(reader.topic, reader.partition)) this.end(reader);
    this.settling ??= this.settle();
  }

  private end(reader: PartitionReader): void {
    const key = `${reader.topic}/${reader.partition}`;
    this.loop.remove(reader);
    this.lost.add(reader.partition);
    const ended = reader.stop().finally(() => {
      if (this.ending.get(key) === ended) this.ending.delete(key);
    });
    this.ending.set(key, ended);
  }

  private async settle(): Promise<void> {
    let retry_ms = RETRY_FIRST_MS;
    while (!this.closed && !this.settled) {
      const { target } = this;
      try {
        await this.announceRevoked();
        await this.announceAssigned(target);
        if (target === this.target) this.settled = true;
        retry_ms = RETRY_FIRST_MS;
      } catch (error) {
        const detail = {
          event: 'assignment_failed',
          group: this.subscription.group,
          retry_ms,
          error: faultOf('assignment', error).message,
        };
        this.settings.warn('an assignment failed; retrying', detail);
        await sleep(retry_ms);
        await this.link.recover(error);
        retry_ms = Math.min(retry_ms * 2, RETRY_MAX_MS);
      }
    }
    this.settling = undefined;
  }

  private async announceRevoked(): Promise<void> {
    const held = new Set(numbersOf(this.target));
    const revoked = [...this.announced.keys()].filter((number) => !held.has(number) || this.lost.has(number));
    if (revoked.length === 0) return;
    for (const reader of this.loop.all()) if (revoked.includes(reader.partition)) this.end(reader);
    await this.subscription.onRevoked?.(revoked);
    for (const number of revoked) {
      this.announced.delete(number);
      this.lost.delete(number);
    }
  }

  private async announceAssigned(target: Assignment): Promise<void> {
    const fresh = numbersOf(target).filter((number) => !this.announced.has(number));
    if (fresh.length === 0) return;
    this.offsets_since_ms ??= performance.now();
    const committed = await this.committed(this.subscription.group, this.subscription.topics);
    const mine = this.subscription.topics.flatMap((topic) =>
      (target[topic] ?? []).filter((partition) => fresh.includes(partition)).map((partition) => ({ topic, partition })),
    );
    const firsts = await this.link.firsts(mine);
    this.offsets_since_ms = undefined;
    // Nothing may fail between the announcement and its note: an unnoted partition is never announced as revoked.
    const wanted = await this.subscription.onAssigned?.(fresh);
    const stay = ++this.stays;
    for (const number of fresh) this.announced.set(number, stay);
    if (target !== this.target) {
      for (const number of fresh) this.lost.add(number); // announced again, with the offsets at that time
      return;
    }
    const offsets = new Map([...committed, ...(wanted ?? [])].map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
    for (const [at, { topic, partition }] of mine.entries())
      this.begin(stay, topic, partition, Math.max(firsts[at] ?? 0, offsets.get(`${topic}/${partition}`) ?? 0));
  }

  /** If the handler of an earlier assignment still runs, this partition waits for it; the others do not. */
  private begin(stay: number, topic: string, partition: number, offset: number): void {
    const ending = this.ending.get(`${topic}/${partition}`);
    if (ending) void ending.then(() => this.begin(stay, topic, partition, offset));
    else if (!this.closed && this.announced.get(partition) === stay && !this.lost.has(partition) && this.isMine(topic, partition))
      this.read(topic, partition, offset);
  }

  private read(topic: string, partition: number, offset: number): void {
    const { batch_records_max } = this.subscription;
    const reader = new PartitionReader({
      topic,
      partition,
      offset,
      batch_records_max,
      onBatch: (batch) => this.subscription.onBatch(batch),
      clear: () => this.sure(),
      onCapacity: () => this.loop.wake(),
      warn: (message, detail) => this.settings.warn(message, detail),
    });
    this.loop.add(reader);
  }

  private async sure(): Promise<void> {
    while (!this.membership.sure && !this.closed) await sleep(UNSURE_MS);
  }
}

function numbersOf(assignment: Assignment): number[] {
  return [...new Set(Object.values(assignment).flat())].sort((a, b) => a - b);
}
