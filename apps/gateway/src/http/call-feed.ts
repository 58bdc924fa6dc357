import { type Caller, type CallListener, envelopeText, newestFact, type Readable, seenBy, type Timed } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import type { Progress } from '@countersign/process';
import type { CallRoom } from './call-room.js';
import type { CallStream, StatusTexts } from './call-stream.js';

/**
 * Pauses between readings of the view. The first ones are short: an end that came after the view was first read and before the
 * watch is only there. The later ones are for a record that was missed for any other reason.
 */
const LOOKS_MS = [100, 250, 500, 1_000, 2_000, 4_000, 7_150, 15_000, 30_000];
const LOOK_MAX_MS = 60_000;

class Texts implements StatusTexts {
  private readonly made = new Map<string, string | Promise<string>>();

  constructor(
    readonly state: CallState,
    private readonly readable: Pick<Readable, 'text'>,
  ) {}

  of(reader: Pick<Caller, 'clearances'>): string | Promise<string> {
    const cleared = JSON.stringify(reader.clearances);
    const known = this.made.get(cleared);
    if (known !== undefined) return known;
    const envelope = envelopeText(seenBy(this.state, reader));
    const text = this.readable.text(this.state.tenant_id, `id: ${newestFact(this.state).hlc}\nevent: status\ndata: ${envelope}\n\n`);
    // A reader that left meanwhile does not wait for it.
    if (typeof text !== 'string') text.catch(() => undefined);
    this.made.set(cleared, text);
    return text;
  }
}

interface FeedParts {
  room: Pick<CallRoom, 'board' | 'wheel' | 'refresh'>;
  readable: Pick<Readable, 'text'>;
}

/** One call for all who stream it: one watch, one series of readings, one envelope for each change. */
class CallFeed implements CallListener, Timed {
  readonly streams = new Set<CallStream>();
  private slot = -1;
  private looks = 0;

  constructor(
    private readonly parts: FeedParts,
    private readonly call: { call_id: string; tenant_id: string },
    private readonly onEmpty: () => void,
  ) {}

  join(stream: CallStream, known: CallState): void {
    const { board } = this.parts.room;
    this.streams.add(stream);
    if (this.streams.size === 1) {
      this.schedule();
      board.watch(this.call.call_id, this.call.tenant_id, this);
    }
    const state = board.learn(known) ?? known;
    if (this.streams.has(stream)) this.show(stream, new Texts(state, this.parts.readable));
  }

  leave(stream: CallStream): void {
    if (!this.streams.delete(stream) || this.streams.size > 0) return;
    const { board, wheel } = this.parts.room;
    if (this.slot >= 0) wheel.remove(this, this.slot);
    this.slot = -1;
    board.unwatch(this.call.call_id, this);
    this.onEmpty();
  }

  changed(state: CallState): void {
    const texts = new Texts(state, this.parts.readable);
    for (const stream of [...this.streams]) this.show(stream, texts);
  }

  progressed({ fraction, message }: Progress): void {
    const text = `event: progress\ndata: ${JSON.stringify({ fraction, message })}\n\n`;
    for (const stream of [...this.streams]) stream.progressed(text);
  }

  due(): void {
    this.slot = -1;
    const waited_ms = this.lookMs();
    this.looks++;
    this.schedule();
    this.parts.room.refresh(this.call.tenant_id, this.call.call_id, waited_ms / 2);
  }

  private show(stream: CallStream, texts: StatusTexts): void {
    if (stream.show(texts)) this.leave(stream);
  }

  private lookMs(): number {
    return LOOKS_MS[this.looks] ?? LOOK_MAX_MS;
  }

  private schedule(): void {
    this.slot = this.parts.room.wheel.add(this, this.lookMs());
  }
}

/** The calls that somebody streams. A further stream of a call adds neither a reading nor a timer. */
export class CallFeeds {
  private readonly feeds = new Map<string, CallFeed>();

  constructor(private readonly parts: FeedParts) {}

  /** Calls with at least one stream. */
  get size(): number {
    return this.feeds.size;
  }

  /** Tells the stream all of the call from now on; `known` is the call as the view has it. @returns what ends that. */
  join(known: CallState, stream: CallStream): () => void {
    const { call_id, tenant_id } = known;
    const name = JSON.stringify([tenant_id, call_id]);
    let feed = this.feeds.get(name);
    if (!feed) {
      feed = new CallFeed(this.parts, { call_id, tenant_id }, () => this.feeds.delete(name));
      this.feeds.set(name, feed);
    }
    const joined = feed;
    joined.join(stream, known);
    return () => joined.leave(stream);
  }
}
