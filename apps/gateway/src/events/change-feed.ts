import type { Timed, TimerWheel } from '@countersign/calls';
import type { BatchDecoder, EventLog, LogBatch, RunningSubscription } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import { type ProjectionOffset, projectionPosition, type Store } from '@countersign/store';
import { type ChangeRecord } from './change.js';
import { ChangeDetails } from './change-details.js';
import { covers, FeedSlots, foldedOffsets } from './feed-slots.js';
import { LogLayout, type Place } from './log-layout.js';
import type { ReaderStream } from './reader-stream.js';
import { EVERY_TENANT } from './record-change.js';
import { inOrder, RecordReader } from './record-reader.js';
import { streamCursorText } from './stream-cursor.js';
import { TenantReaders } from './tenant-readers.js';

/** Changes of this time are sent together. */
const LOOK_MS = 100;
/** Delay after a failed read, and between reads while only records of other tenants arrive. */
const PAUSE_MS = 1_000;
/** How long the feed reads on without streams, so that readers who reconnect find it running. */
const LINGER_MS = 30_000;
/** How often the feed waits for the log to deliver what the views show already, so that it is sent in order. */
const WAITS_MAX = 5;
const BATCH_RECORDS_MAX = 500;

export interface FeedSource {
  log: Pick<EventLog, 'follow' | 'read' | 'head' | 'first' | 'partitions'>;
  store: Store;
  decoder: BatchDecoder;
  logger: Logger;
  wheel: Pick<TimerWheel, 'add' | 'remove'>;
  monotonic_ms(): number;
}

/**
 * Follows the log for the event streams of this gateway while there are any. A record is shown once the views have folded it, so that a
 * reader who reads a list after an event sees what it says. Records are read once for all streams.
 */
export class ChangeFeed implements Timed {
  slot: number | null = null;
  private readonly tenants = new Map<string, TenantReaders>();
  private readonly details: ChangeDetails;
  private looking = false;
  /** When the feed looks next. */
  private due_ms = 0;
  private is_closed = false;
  private waits = 0;
  /** When its last stream left; undefined while there are streams. */
  private idle_since_ms: number | undefined;
  private readonly arrivals: { place: Place; resolve(): void }[] = [];
  private running: RunningSubscription | undefined;
  private readonly texts = new WeakMap<Place, string>();

  private constructor(
    private readonly source: FeedSource,
    readonly reader: RecordReader,
    readonly slots: FeedSlots,
    private readonly onEnd: () => void,
  ) {
    this.details = new ChangeDetails(source.store);
    this.idle_since_ms = source.monotonic_ms();
  }

  /** Starts where the views stand now. */
  static async start(source: FeedSource, lanes: readonly string[], onEnd: () => void): Promise<ChangeFeed> {
    const { log, store, decoder } = source;
    const layout = await LogLayout.of(log, lanes);
    const folded = foldedOffsets(await projectionPosition(store));
    const from = await Promise.all(
      layout.slots.map(({ topic, partition, is_folded }) =>
        is_folded ? (folded.get(`${topic}/${partition}`) ?? 0) : log.head(topic, partition),
      ),
    );
    const feed = new ChangeFeed(source, new RecordReader(layout, decoder), new FeedSlots(layout, from), onEnd);
    await feed.follow(from);
    feed.schedule(PAUSE_MS);
    return feed;
  }

  get layout(): LogLayout {
    return this.reader.layout;
  }

  private async follow(from: Place): Promise<void> {
    this.running = await this.source.log.follow({
      topics: this.layout.topics,
      visibility: 'durable',
      batch_records_max: BATCH_RECORDS_MAX,
      from: this.layout.slots.map(({ topic, partition }, slot) => ({ topic, partition, offset: from[slot] as number })),
      onBatch: (batch) => this.take(batch),
    });
  }

  /** Adds a stream. Records that were read before it came are not among its changes: see `arrived`. */
  join(stream: ReaderStream): TenantReaders {
    const { tenant_id } = stream.caller;
    const readers = this.tenants.get(tenant_id) ?? new TenantReaders(tenant_id, this.details, this.slots.shown);
    this.tenants.set(tenant_id, readers);
    readers.streams.add(stream);
    this.idle_since_ms = undefined;
    this.schedule(LOOK_MS);
    return readers;
  }

  leave(stream: ReaderStream): void {
    const readers = this.tenants.get(stream.caller.tenant_id);
    readers?.streams.delete(stream);
    if (readers?.streams.size === 0) this.tenants.delete(stream.caller.tenant_id);
    if (this.tenants.size > 0) return;
    this.idle_since_ms ??= this.source.monotonic_ms();
    this.schedule(PAUSE_MS);
  }

  /** Resolves when everything up to this place is shown. */
  arrived(place: Place): Promise<void> {
    if (covers(this.slots.shown, place)) return Promise.resolve();
    this.schedule(LOOK_MS);
    return new Promise((resolve) => this.arrivals.push({ place, resolve }));
  }

  /** Sends soon what streams wait for. */
  wake(): void {
    this.schedule(LOOK_MS);
  }

  due(): void {
    if (this.looking) this.schedule(LOOK_MS);
    else void this.lookOnce();
  }

  private async lookOnce(): Promise<void> {
    this.looking = true;
    let pause_ms: number | undefined = PAUSE_MS;
    try {
      pause_ms = await this.look();
    } catch (err) {
      this.source.logger.warn({ event: 'event_streams_delayed', err }, 'the views cannot be read; event streams wait');
    }
    this.looking = false;
    if (pause_ms !== undefined) this.schedule(pause_ms);
  }

  async close(): Promise<void> {
    this.is_closed = true;
    this.onEnd();
    this.source.wheel.remove(this);
    this.slots.close();
    for (const { resolve } of this.arrivals.splice(0)) resolve();
    await this.running?.close();
  }

  private async take({ topic, partition, records }: LogBatch): Promise<void> {
    const slot = this.layout.slotOf(topic, partition);
    const state = this.slots.states[slot];
    const last = records.at(-1);
    if (!state || !last) return;
    await this.slots.waitForCapacity(slot);
    const fresh = records.filter(({ offset }) => offset >= state.read);
    const changes = await this.reader.changes(slot, fresh, (tenant_id) => this.tenants.has(tenant_id), state.order);
    this.slots.add(slot, changes, last.offset + 1);
    if (changes.length > 0) this.schedule(LOOK_MS);
    else this.schedule(PAUSE_MS);
  }

  /** Shows what the views have folded. @returns when to look again; undefined: with the next record. */
  private async look(): Promise<number | undefined> {
    if (this.hasEnded()) {
      await this.close();
      return undefined;
    }
    if (this.slots.isBehind) await this.show();
    const waits = this.flush();
    if (waits || this.slots.hasChanges || this.arrivals.length > 0) return LOOK_MS;
    return this.slots.isBehind || this.tenants.size === 0 ? PAUSE_MS : undefined;
  }

  private async show(): Promise<void> {
    const rows: readonly ProjectionOffset[] = await projectionPosition(this.source.store);
    const folded = foldedOffsets(rows);
    if (this.slots.isBehindViews(folded) && this.waits++ < WAITS_MAX) return;
    this.waits = 0;
    const records = inOrder(this.slots.take(folded));
    const { shown } = this.slots;
    for (const readers of this.tenants.values()) readers.show(recordsOf(records, readers.tenant_id), shown, () => this.wake());
    for (const arrival of this.arrivals.splice(0)) {
      if (covers(shown, arrival.place)) arrival.resolve();
      else this.arrivals.push(arrival);
    }
  }

  /** @returns whether a stream has changes that wait for its rate. */
  private flush(): boolean {
    const now_ms = this.source.monotonic_ms();
    let waits = false;
    for (const readers of this.tenants.values()) waits = readers.flush((place) => this.textOf(place), now_ms) || waits;
    return waits;
  }

  /** The text of a place, made once for all streams. */
  private textOf(place: Place): string {
    const known = this.texts.get(place);
    if (known !== undefined) return known;
    const text = streamCursorText(this.layout, { place });
    this.texts.set(place, text);
    return text;
  }

  private hasEnded(): boolean {
    return this.idle_since_ms !== undefined && this.source.monotonic_ms() - this.idle_since_ms >= LINGER_MS;
  }

  private schedule(in_ms: number): void {
    const due_ms = this.source.monotonic_ms() + in_ms;
    if (this.is_closed || (this.slot !== null && this.due_ms <= due_ms)) return;
    this.due_ms = due_ms;
    this.source.wheel.add(this, in_ms);
  }
}

const recordsOf = (records: readonly ChangeRecord[], tenant_id: string): ChangeRecord[] =>
  records.filter((record) => record.tenant_id === tenant_id || record.tenant_id === EVERY_TENANT);
