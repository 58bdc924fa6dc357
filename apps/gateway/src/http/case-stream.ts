import { createHash } from 'node:crypto';
import { type CaseHistoryRow, type Cursor, caseHistory, cursorText, parseCursor, type Sql } from '@countersign/store';
import type { Caller } from '../identity/authenticator.js';
import type { StreamOut } from './call-stream.js';
import { historyFace } from './case-history-face.js';

const PAGE = 500;
const LOOK_MS = 250;
const HEARTBEAT_MS = 15_000;
/** Partitions are folded side by side: a line may come so much later than one that it stands before. In hlc units (microseconds). */
const LATE_US = 5_000_000;
/** So many of the lines of that time are named by the id of an event, to be left out when a stream comes again. */
const NAMED_MAX = 64;
const FIRST = '00000000-0000-0000-0000-000000000000:0';

const nameOf = ({ event_id, seq }: CaseHistoryRow): string => createHash('sha1').update(`${event_id}:${seq}`).digest('hex').slice(0, 8);

/** The lines of a case as server-sent events, from its first one or after the last one seen, and then as they come. */
export class CaseStream {
  private newest: Cursor = { at: -1, id: FIRST };
  /** Names of the lines that were sent lately, and the hlc of each. */
  private readonly sent = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private beaten = 0;
  private closed = false;

  constructor(
    private readonly sql: Sql,
    private readonly out: StreamOut,
    private readonly of: { tenant_id: string; case_id: string; reader: Pick<Caller, 'clearances'> },
    lastEventId: string | undefined,
  ) {
    const [cursor = '', names = ''] = lastEventId?.split('.') ?? [];
    const seen = parseCursor(cursor);
    if (!seen) return;
    this.newest = seen;
    for (const name of names.match(/.{8}/g) ?? []) this.sent.set(name, seen.at);
  }

  /** Looks for lines now and from then on; a fault ends the stream, and its reader comes again. */
  async open(): Promise<void> {
    try {
      while (!this.closed && (await this.page()));
      this.beaten += LOOK_MS;
      if (this.beaten >= HEARTBEAT_MS) this.out.write(': still here\n\n');
      this.beaten %= HEARTBEAT_MS;
      if (!this.closed) this.timer = setTimeout(() => void this.open(), LOOK_MS);
    } catch {
      this.close();
    }
  }

  /** The reader went away. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.timer);
    this.out.end();
  }

  /** Sends what is new, late lines too. @returns whether there may be more. */
  private async page(): Promise<boolean> {
    const { tenant_id, case_id } = this.of;
    const late = { at: Math.max(-1, this.newest.at - LATE_US), id: FIRST };
    const around = await caseHistory(this.sql, { tenant_id, case_id, limit: PAGE, after: late });
    for (const row of around.items) this.send(row);
    if (around.next_cursor === null) return false;
    const after = await caseHistory(this.sql, { tenant_id, case_id, limit: PAGE, after: this.newest });
    for (const row of after.items) this.send(row);
    return after.items.length > 0;
  }

  private send(row: CaseHistoryRow): void {
    const name = nameOf(row);
    if (this.closed || this.sent.has(name)) return;
    this.sent.set(name, row.hlc);
    if (row.hlc > this.newest.at || (row.hlc === this.newest.at && `${row.event_id}:${row.seq}` > this.newest.id))
      this.newest = { at: row.hlc, id: `${row.event_id}:${row.seq}` };
    for (const [old, hlc] of this.sent) if (hlc < this.newest.at - LATE_US) this.sent.delete(old);
    const names = [...this.sent.keys()].slice(-NAMED_MAX).join('');
    this.out.write(
      `id: ${cursorText(this.newest)}.${names}\nevent: ${row.type}\ndata: ${JSON.stringify(historyFace(row, this.of.reader))}\n\n`,
    );
  }
}
