import type { Caller } from '@countersign/calls';
import type { EventStream } from '../streams/event-stream.js';
import type { Change } from './change.js';
import type { EventKind } from './event-kinds.js';
import { maySee } from './event-rights.js';
import type { Place } from './log-layout.js';
import { PendingChanges } from './pending-changes.js';
import type { StreamCursor } from './stream-cursor.js';

/** Events of one stream in a second; changes beyond it are merged by item until they are sent. */
export const EVENTS_PER_SECOND_MAX = 100;
/** How often a stream without events tells its reader a newer cursor. */
const CURSOR_EVERY_MS = 10_000;

/** Why a reader must read its lists again. */
export type ResetReason = 'cursor_too_old' | 'cursor_of_another_installation' | 'too_many_changes';

/** The part of an event stream that this stream needs. */
export type ReaderOut = Pick<EventStream, 'write' | 'waitForCapacity' | 'close' | 'over'>;

/** How a stream writes its events. */
export interface StreamForm {
  kinds: ReadonlySet<EventKind>;
  /** Sends approvals whole instead of naming them. */
  approvals: boolean;
  /** Changed items that wait for one stream. Beyond it the reader is told to read its lists again. */
  pending_max: number;
  /** Name and data of an event; undefined if there is nothing to send. */
  text(change: Change, caller: Caller): string | Promise<string> | undefined;
}

/** One reader of the events of its tenant. */
export class ReaderStream {
  private pending: PendingChanges;
  private part: StreamCursor['part'];
  /** Changes that arrived while the backlog was read; undefined once the stream follows the feed. */
  private later: PendingChanges | undefined = new PendingChanges([]);
  /** Too many changes arrived while the backlog was read: the reader must read its lists again. */
  private has_missed = false;
  private tokens = EVENTS_PER_SECOND_MAX;
  private refilled_ms = 0;
  private told_ms = 0;

  constructor(
    private readonly out: ReaderOut,
    readonly caller: Caller,
    readonly form: StreamForm,
    private readonly textOf: (cursor: StreamCursor) => string,
  ) {
    this.pending = new PendingChanges([]);
  }

  get over(): boolean {
    return this.out.over;
  }

  /** The events cannot be read: the reader resumes. */
  fail(): void {
    this.out.close('unavailable');
  }

  /** Tells the reader where the stream starts. */
  start(cursor: StreamCursor): void {
    this.begin(cursor);
    this.write('ready', cursor, { cursor: this.textOf(cursor), kinds: [...this.form.kinds] });
  }

  /** Tells the reader to read its lists again, and where the stream goes on. */
  reset(reason: ResetReason, place: Place): void {
    if (this.over) return;
    this.begin({ place });
    this.write('reset', { place }, { reason, cursor: this.textOf({ place }) });
  }

  private begin({ place, part }: StreamCursor): void {
    this.pending = new PendingChanges([...place]);
    this.part = part;
  }

  /** Accepts changes of the backlog. @returns false if there are too many */
  accept(changes: readonly Change[]): boolean {
    for (const change of changes) this.add(change);
    return this.pending.size <= this.form.pending_max;
  }

  /** Sends the backlog at the pace of the reader. @returns whether the stream is still open */
  async drain(): Promise<boolean> {
    while (this.pending.size > 0) {
      if (!(await this.out.waitForCapacity())) return false;
      this.sendNext();
    }
    return !this.over;
  }

  /** Ends the backlog, which reached up to this place: the stream follows the feed. `shown`: the feed's own place. */
  follow(place: Place, shown: Place): void {
    const { later } = this;
    this.later = undefined;
    this.pending.passed(place);
    if (this.has_missed) this.reset('too_many_changes', shown);
    else if (later) this.pending.append(later, (change) => this.wasSent(change));
  }

  /** Accepts changes of the feed, which has shown everything up to this place before. */
  offer(changes: readonly Change[], shown: Place): void {
    if (this.over) return;
    if (this.later) this.offerLater(changes, this.later);
    else if (!this.accept(changes)) this.reset('too_many_changes', shown);
  }

  private offerLater(changes: readonly Change[], later: PendingChanges): void {
    for (const change of changes) if (this.wants(change)) later.add(change);
    if (later.size <= this.form.pending_max) return;
    later.clear();
    this.has_missed = true;
  }

  /** Sends what its rate allows. `shown`: the feed has given this stream everything up to here. @returns whether changes wait. */
  flush(shown: Place, shownText: () => string, now_ms: number): boolean {
    if (this.over || this.later) return false;
    this.refill(now_ms);
    let sent: string | undefined;
    for (; this.tokens >= 1 && this.pending.size > 1; this.tokens--) this.sendNext();
    if (this.tokens >= 1 && this.pending.size === 1) {
      this.tokens--;
      sent = this.sendLast(shown, shownText);
    }
    if (this.pending.size > 0) return true;
    if (sent === undefined) this.tellCursor(shown, shownText, now_ms);
    else this.told_ms = now_ms;
    return false;
  }

  /** The part of the feed's place that a stream resumed ahead of it has sent already. */
  private isBehind(shown: Place): boolean {
    return this.pending.cursor.place.some((next, slot) => next > (shown[slot] ?? 0));
  }

  private add(change: Change): void {
    if (this.wants(change) && !this.wasSent(change)) this.pending.add(change);
  }

  private wants(change: Change): boolean {
    return this.form.kinds.has(change.kind) && maySee(this.caller, change);
  }

  private wasSent({ slot, offset, item }: Change): boolean {
    const next = this.pending.cursor.place[slot] ?? 0;
    return offset < next || (offset === next && this.part?.slot === slot && item < this.part.items);
  }

  private refill(now_ms: number): void {
    const gained = ((now_ms - this.refilled_ms) * EVENTS_PER_SECOND_MAX) / 1000;
    this.tokens = Math.min(EVENTS_PER_SECOND_MAX, this.tokens + gained);
    this.refilled_ms = now_ms;
  }

  private sendNext(): void {
    const due = this.pending.next();
    if (!due) return;
    this.part = due.after.part;
    this.send(due.change, this.textOf(due.after));
  }

  /** Nothing waits after this event: its cursor is that of the feed. */
  private sendLast(shown: Place, shownText: () => string): string | undefined {
    const due = this.pending.next();
    if (!due) return undefined;
    this.part = undefined;
    const is_behind = this.isBehind(shown);
    this.pending.passed(shown);
    const id = is_behind ? this.textOf(this.pending.cursor) : shownText();
    this.send(due.change, id);
    return id;
  }

  /** An id without data: an EventSource remembers it and sees no event. */
  private tellCursor(shown: Place, shownText: () => string, now_ms: number): void {
    if (now_ms - this.told_ms < CURSOR_EVERY_MS) return;
    this.told_ms = now_ms;
    const is_behind = this.isBehind(shown);
    this.pending.passed(shown);
    this.out.write(`id: ${is_behind ? this.textOf(this.pending.cursor) : shownText()}\n\n`);
  }

  private send(change: Change, id: string): void {
    const text = this.form.text(change, this.caller);
    if (text === undefined) return;
    this.out.write(typeof text === 'string' ? `id: ${id}\n${text}` : text.then((opened) => `id: ${id}\n${opened}`));
  }

  private write(event: 'ready' | 'reset', cursor: StreamCursor, data: object): void {
    this.out.write(`id: ${this.textOf(cursor)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
