import type { Caller } from '@countersign/calls';
import type { CaseHistoryRow, Sql } from '@countersign/store';
import type { EventStream } from '../streams/event-stream.js';
import { CaseLines, type CaseName } from './case-lines.js';

/** Maximum of pending lines while a stream reads its backlog. */
const PENDING_MAX = 1_000;

/** The text of a line for one reader: type and data of its event. */
export type LineText = (row: CaseHistoryRow, reader: Pick<Caller, 'clearances'>) => string | Promise<string>;

/** The part of an event stream that a case stream needs. */
export type CaseOut = Pick<EventStream, 'write' | 'waitForCapacity' | 'close' | 'over'>;

/** One reader of a case: reads its backlog, then gets lines from the shared feed. */
export class CaseStream {
  private readonly lines: CaseLines;
  /** Lines that arrived during the backlog; undefined once it follows the feed. */
  private pending: { row: CaseHistoryRow; text: LineText }[] | undefined = [];

  constructor(
    private readonly sql: Sql,
    private readonly out: CaseOut,
    private readonly of: CaseName & { reader: Pick<Caller, 'clearances'> },
    lastEventId: string | undefined,
  ) {
    this.lines = CaseLines.from(lastEventId);
  }

  /** Its position, for a feed that starts with this stream. */
  position(): CaseLines {
    return this.lines.copy();
  }

  /** Reads and sends the backlog. @returns whether the stream is still open. */
  async catchUp(text: LineText): Promise<boolean> {
    for (let more = true; more && !this.out.over; ) {
      const read = await this.lines.read(this.sql, this.of);
      for (const row of read.rows) {
        if (!(await this.out.waitForCapacity())) return false;
        this.tell(row, text);
      }
      more = read.more;
    }
    return !this.out.over;
  }

  /** Ends the backlog: sends the pending lines, then follows the feed. */
  level(): void {
    const waited = this.pending ?? [];
    this.pending = undefined;
    for (const { row, text } of waited) this.tell(row, text);
  }

  /** Accepts a line that is new to the feed. */
  offer(row: CaseHistoryRow, text: LineText): void {
    if (!this.pending) this.tell(row, text);
    else if (this.pending.push({ row, text }) > PENDING_MAX) this.out.close('slow_consumer');
  }

  fail(): void {
    this.out.close('unavailable');
  }

  private tell(row: CaseHistoryRow, text: LineText): void {
    const id = this.lines.take(row);
    if (id === undefined || this.out.over) return;
    const body = text(row, this.of.reader);
    this.out.write(typeof body === 'string' ? `id: ${id}\n${body}` : body.then((opened) => `id: ${id}\n${opened}`));
  }
}
