import { laneTopic } from '@countersign/contracts';
import { type CallState, DAY_MS, evolve, type PlacedEvent, unpackCall } from '@countersign/domain';
import type { BatchDecoder, EventLog, TopicOffset } from '@countersign/event-log';
import {
  isOwedKept,
  type LogPosition,
  noteOwedKept,
  type OwedCallback,
  oweCallbacks,
  owedCallbacks,
  type ProjectionOffset,
  projectionPosition,
  readCall,
  type Store,
  settleCallbacks,
  unfinishedCalls,
} from '@countersign/store';
import { settledAs } from '../waiting/is-answer.js';
import type { WatchedCalls } from '../waiting/watched-calls.js';
import { type Callbacks, TRIED_FOR_MS } from './callbacks.js';

/** Requests that the views have not folded yet are read from the log, at most this many per partition. */
const UNFOLDED_MAX = 20_000;
const EVENTS_A_CALL = 4;
const CHUNK = 500;
/** If a call is still not recorded this long after its callback was stored, it was never recorded. */
const NEVER_CAME_MS = DAY_MS;

/**
 * Lower bound, epoch ms, of the end times of calls whose callback may be undelivered; used if no stored rows list owed callbacks. Older
 * calls are excluded: their callback was delivered or dropped, or they ended over a day ago.
 */
export function undeliveredSince(newest_request_ms: number, now_ms: number): number {
  return Math.max(newest_request_ms - TRIED_FOR_MS, now_ms - DAY_MS);
}

/**
 * Restores calls that were in flight before this gateway started. They count for the caps of their tenants, and their callbacks are owed
 * even if they have ended. Reads the views, and the log from where the views end; if the database was emptied, only the log.
 */
export class Resume {
  /** The calls that may owe a callback; set only if the database was emptied. */
  private found: OwedCallback[] | undefined;

  constructor(
    private readonly parts: { log: EventLog; store: Store; decoder: BatchDecoder; now_ms(): number },
    private readonly watchedCalls: WatchedCalls,
    private readonly callbacks: Callbacks,
  ) {}

  /** @returns the start position of the follower, so that it misses no end of these calls; 'head' if there are none. */
  async run(lanes: readonly string[], topics: readonly string[]): Promise<'head' | TopicOffset[]> {
    // Read the positions first: a record that is folded between the two reads is read twice, never missed.
    const { store } = this.parts;
    const kept = await isOwedKept(store);
    const folded = kept ? await projectionPosition(store) : [];
    if (!kept) {
      this.found = [];
      this.callbacks.tellSince(undeliveredSince(await this.newestRequestMs(lanes), this.parts.now_ms()));
    }
    for (const row of await unfinishedCalls(store)) this.restore(unpackCall(row.state));
    for (const lane of lanes) await this.unfolded(laneTopic('tool-call-requested', lane), folded);
    for (const owed of await owedCallbacks(store)) await this.owed(owed);
    for (let at = 0; this.found && at < this.found.length; at += CHUNK) await oweCallbacks(store, this.found.slice(at, at + CHUNK));
    if (this.watchedCalls.size === 0) return 'head';
    return this.starts(topics, folded);
  }

  /** Call this after the follower has caught up. Afterwards, calls that ended too long ago owe no callback. */
  async done(): Promise<void> {
    if (this.found) await noteOwedKept(this.parts.store);
  }

  /**
   * Time of the newest call request of this installation, epoch ms; 0 if there is none. Records that services write at startup do not
   * count.
   */
  private async newestRequestMs(lanes: readonly string[]): Promise<number> {
    const newest = await this.newest(lanes, []);
    const records = await Promise.all(newest.map(({ topic, partition, offset }) => this.parts.log.read(topic, partition, offset, 1)));
    return Math.max(0, ...records.flat().map(({ timestamp_ms }) => timestamp_ms));
  }

  /** The newest record positions of these lanes: an earlier gateway may have answered with any of them. */
  async newest(lanes: readonly string[], topics: readonly string[]): Promise<LogPosition[]> {
    const { log } = this.parts;
    const positions: LogPosition[] = [];
    for (const topic of [...topics, ...lanes.map((lane) => laneTopic('tool-call-requested', lane))])
      for (let partition = 0; partition < log.partitions(topic); partition++) {
        const head = await log.head(topic, partition);
        // A topic with no retained records has nothing to fold.
        if (head > 0 && head > (await log.first(topic, partition))) positions.push({ topic, partition, offset: head - 1 });
      }
    return positions;
  }

  private restore(state: CallState): void {
    const { call_id, tenant_id, call } = state;
    if (this.watchedCalls.has(call_id)) return;
    const owed = call?.callback_url !== null && call?.callback_url !== undefined;
    this.watchedCalls.admit(call_id, tenant_id, owed ? state : undefined, undefined);
    if (!owed) return;
    this.callbacks.watch(call_id, tenant_id);
    this.found?.push({ call_id, tenant_id });
  }

  /** Sends the callback of an ended call at once: the call was not accepted, or no gateway ran to send the callback. */
  private async owed({ call_id, tenant_id, age_ms }: { call_id: string; tenant_id: string; age_ms: number }): Promise<void> {
    if (this.watchedCalls.has(call_id)) return;
    const row = await readCall(this.parts.store, tenant_id, call_id);
    const state = row && unpackCall(row.state);
    if (!state) {
      if (age_ms > NEVER_CAME_MS) await settleCallbacks(this.parts.store, [call_id]);
    } else if (settledAs(state) === 'ended') this.callbacks.ended(state);
    else this.restore(state);
  }

  private async unfolded(topic: string, folded: readonly ProjectionOffset[]): Promise<void> {
    const { log, decoder } = this.parts;
    for (let partition = 0; partition < log.partitions(topic); partition++) {
      const head = await log.head(topic, partition);
      const from = Math.max(await log.first(topic, partition), head - UNFOLDED_MAX, nextOffset(folded, topic, partition));
      for (let offset = from; offset < head; ) {
        const records = await log.read(topic, partition, offset, CHUNK);
        const last = records.at(-1);
        if (!last) break;
        for (const event of (await decoder.decode(records)).events)
          if (event.event_type === 'tool_call_requested') this.restore(evolve(undefined, event as PlacedEvent));
        offset = last.offset + 1;
      }
    }
  }

  private async starts(topics: readonly string[], folded: readonly ProjectionOffset[]): Promise<TopicOffset[]> {
    const { log } = this.parts;
    const starts: TopicOffset[] = [];
    for (const topic of topics)
      for (let partition = 0; partition < log.partitions(topic); partition++) {
        const floor = (await log.head(topic, partition)) - EVENTS_A_CALL * UNFOLDED_MAX;
        starts.push({ topic, partition, offset: Math.max(0, floor, nextOffset(folded, topic, partition)) });
      }
    return starts;
  }
}

function nextOffset(folded: readonly ProjectionOffset[], topic: string, partition: number): number {
  return folded.find((row) => row.topic === topic && row.partition === partition)?.next_offset ?? 0;
}
