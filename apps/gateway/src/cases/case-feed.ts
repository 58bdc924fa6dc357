import { setImmediate as turn } from 'node:timers/promises';
import type { Readable, Timed, TimerWheel } from '@countersign/calls';
import type { CaseHistoryRow, Sql } from '@countersign/store';
import { historyLine } from './case-history-line.js';
import type { CaseLines, CaseName } from './case-lines.js';
import type { CaseStream, LineText } from './case-stream.js';

const LOOK_MS = 250;
/** Delay after a failed read. */
const PAUSE_MS = 1_000;
/** Each case polls the database four times a second. */
const CASES_MAX = 500;
/** Lines to write before yielding to the event loop, which flushes the sockets. */
const ROWS_AT_ONCE = 16;

interface FeedParts {
  sql: Sql;
  wheel: Pick<TimerWheel, 'add' | 'remove'>;
  readable: Pick<Readable, 'text'>;
}

/** The text of a line, made once for all readers with the same view of it. */
function sharedText(tenant_id: string, readable: Pick<Readable, 'text'>): LineText {
  const made = new Map<string, string | Promise<string>>();
  return (row, reader) => {
    const cleared = JSON.stringify(reader.clearances);
    const known = made.get(cleared);
    if (known !== undefined) return known;
    const text = readable.text(tenant_id, `event: ${row.type}\ndata: ${JSON.stringify(historyLine(row, reader))}\n\n`);
    if (typeof text !== 'string') text.catch(() => undefined);
    made.set(cleared, text);
    return text;
  };
}

/** One case for all of its streams: one query per poll, whatever their number. */
class CaseFeed implements Timed {
  private readonly streams = new Set<CaseStream>();
  slot: number | null = null;

  constructor(
    private readonly parts: FeedParts,
    private readonly of: CaseName,
    private readonly lines: CaseLines,
    private readonly onEmpty: () => void,
  ) {}

  join(stream: CaseStream): void {
    this.streams.add(stream);
    if (this.streams.size === 1) this.schedule(LOOK_MS);
  }

  leave(stream: CaseStream): void {
    if (!this.streams.delete(stream) || this.streams.size > 0) return;
    this.parts.wheel.remove(this);
    this.onEmpty();
  }

  due(): void {
    void this.look().then(
      () => this.schedule(LOOK_MS),
      () => this.schedule(PAUSE_MS),
    );
  }

  private async look(): Promise<void> {
    for (let more = true; more && this.streams.size > 0; ) {
      const read = await this.lines.read(this.parts.sql, this.of);
      await this.tell(read.rows);
      more = read.more;
    }
  }

  private async tell(rows: readonly CaseHistoryRow[]): Promise<void> {
    let sent = 0;
    for (const row of rows) {
      if (this.lines.take(row) === undefined) continue;
      const text = sharedText(this.of.tenant_id, this.parts.readable);
      for (const stream of [...this.streams]) stream.offer(row, text);
      sent++;
      if (sent % ROWS_AT_ONCE === 0) await turn();
    }
  }

  private schedule(in_ms: number): void {
    if (this.streams.size > 0 && this.slot === null) this.parts.wheel.add(this, in_ms);
  }
}

/** Feeds of the streamed cases. A further stream of a case reads only its own backlog and then shares the feed. */
export class CaseFeeds {
  private readonly feeds = new Map<string, CaseFeed>();

  constructor(private readonly parts: FeedParts) {}

  /** Cases with at least one stream that has caught up. */
  get size(): number {
    return this.feeds.size;
  }

  /** True if this case may be streamed now. The number of cases is limited, because each is polled separately. */
  hasCapacity(of: CaseName): boolean {
    return this.feeds.has(nameOf(of)) || this.feeds.size < CASES_MAX;
  }

  /** Reads the backlog, then joins the shared feed. An error ends the stream; its reader reconnects. */
  async open(stream: CaseStream, of: CaseName, whenLeft: (leave: () => void) => void): Promise<void> {
    const text: LineText = (row, reader) => sharedText(of.tenant_id, this.parts.readable)(row, reader);
    try {
      if (!(await stream.catchUp(text))) return;
      const feed = this.feedOf(of, stream);
      feed.join(stream);
      whenLeft(() => feed.leave(stream));
      // The feed may already have sent lines that arrived between the last read and the join.
      if (await stream.catchUp(text)) stream.level();
    } catch {
      stream.fail();
    }
  }

  private feedOf(of: CaseName, first: CaseStream): CaseFeed {
    const name = nameOf(of);
    const known = this.feeds.get(name);
    if (known) return known;
    const feed = new CaseFeed(this.parts, of, first.position(), () => this.feeds.delete(name));
    this.feeds.set(name, feed);
    return feed;
  }
}

const nameOf = ({ tenant_id, case_id }: CaseName): string => JSON.stringify([tenant_id, case_id]);
