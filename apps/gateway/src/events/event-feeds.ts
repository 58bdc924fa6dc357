import type { Caller } from '@countersign/calls';
import { TenantTurns } from '../configuration/tenant-turns.js';
import { Backlog, isBeyond } from './backlog.js';
import { ChangeFeed, type FeedSource } from './change-feed.js';
import type { Place } from './log-layout.js';
import { type ReaderOut, ReaderStream, type StreamForm } from './reader-stream.js';
import { type ParsedCursor, parseStreamCursor, type StreamCursor, streamCursorText } from './stream-cursor.js';
import type { TenantReaders } from './tenant-readers.js';

/** Backlogs that this gateway reads at once; one for each tenant. */
const BACKLOGS_MAX = 4;
/** Records of a backlog whose changes are sent together. */
const AT_ONCE = 500;

/** A stream to open: its response, its reader, and where it resumes. */
export interface OpenedStream {
  out: ReaderOut & { whenLeft(work: () => void): void };
  caller: Caller;
  form: StreamForm;
  cursor: Exclude<ParsedCursor, 'malformed'> | undefined;
}

/** Opens the event streams of tenants. Nothing is read from the log for them while there are none. */
export class EventFeeds {
  private current: Promise<ChangeFeed> | undefined;
  private readonly turns = new TenantTurns();
  private readonly places = new TenantTurns();
  private opened = 0;

  constructor(
    private readonly source: FeedSource,
    private readonly lanes: readonly string[],
  ) {}

  /** Where a text resumes; undefined without a text. */
  async cursorOf(text: string | undefined): Promise<ParsedCursor | undefined> {
    return text === undefined ? undefined : parseStreamCursor((await this.feed()).layout, text);
  }

  /** Sends the events from the cursor on, or from now on. Faults close the stream: its reader resumes. */
  async open({ out, caller, form, cursor }: OpenedStream): Promise<void> {
    try {
      const feed = await this.feed();
      const stream = new ReaderStream(out, caller, form, (at) => streamCursorText(feed.layout, at));
      const readers = feed.join(stream);
      out.whenLeft(() => feed.leave(stream));
      await this.resume(feed, stream, readers, cursor);
    } catch (err) {
      this.source.logger.warn({ event: 'event_stream_not_read', err }, 'an event stream could not be read and was closed');
      out.close('unavailable');
    }
  }

  async close(): Promise<void> {
    const feed = await this.current?.catch(() => undefined);
    await feed?.close();
  }

  private feed(): Promise<ChangeFeed> {
    if (this.current) return this.current;
    const started: Promise<ChangeFeed> = ChangeFeed.start(this.source, this.lanes, () => this.forget(started));
    this.current = started;
    started.catch(() => this.forget(started));
    return started;
  }

  private forget(feed: Promise<ChangeFeed>): void {
    if (this.current === feed) this.current = undefined;
  }

  /** The feed did not look for changes of this tenant before: what it read until then is part of the backlog. */
  private async resume(feed: ChangeFeed, stream: ReaderStream, readers: TenantReaders, cursor: OpenedStream['cursor']): Promise<void> {
    const { read } = feed.slots;
    const start = await this.start(feed, stream, cursor);
    await feed.arrived(read);
    const until = await this.inTurn(readers.tenant_id, () => this.accept(feed, stream, readers, start));
    // A reader takes its backlog at its own pace: others do not wait for it.
    if (!(await stream.drain())) return;
    stream.follow(until, feed.slots.shown);
    feed.wake();
  }

  /** Reads the backlog up to now. @returns where it ends */
  private async accept(feed: ChangeFeed, stream: ReaderStream, readers: TenantReaders, from: Place): Promise<Place> {
    const until = feed.slots.shown;
    const records = await new Backlog(this.source.log, feed.reader, readers.tenant_id).between(from, until);
    if (!records) stream.reset('cursor_too_old', until);
    for (let at = 0; records && at < records.length && !stream.over; at += AT_ONCE) {
      if (stream.accept(await readers.changes(records.slice(at, at + AT_ONCE), stream))) continue;
      stream.reset('too_many_changes', until);
      break;
    }
    return until;
  }

  /** Says where the stream starts. @returns the place after which the reader has seen nothing */
  private async start(feed: ChangeFeed, stream: ReaderStream, cursor: OpenedStream['cursor']): Promise<Place> {
    const { shown } = feed.slots;
    const is_foreign = cursor === 'other_installation' || (cursor && (await isBeyond(this.source.log, feed.reader, cursor.place, shown)));
    if (is_foreign) stream.reset('cursor_of_another_installation', shown);
    const at: StreamCursor = cursor && !is_foreign ? (cursor as StreamCursor) : { place: shown };
    stream.start(at);
    return at.place;
  }

  /** One backlog of a tenant at a time, and few of all tenants. */
  private inTurn(tenant_id: string, work: () => Promise<Place>): Promise<Place> {
    const place = String(this.opened++ % BACKLOGS_MAX);
    return this.turns.take(tenant_id, () => this.places.take(place, work));
  }
}
