import { createHash } from 'node:crypto';
import { type CaseHistoryRow, type Cursor, caseHistory, cursorText, parseCursor, type Sql } from '@countersign/store';

const PAGE = 500;
/** Partitions are processed in parallel: a line may arrive this much later than a line that sorts after it. In hlc units (microseconds). */
const LATE_US = 5_000_000;
/** Maximum of recent lines that an event id names, so that a resumed stream skips them. */
const NAMED_MAX = 64;
const FIRST = '00000000-0000-0000-0000-000000000000:0';

export interface CaseName {
  tenant_id: string;
  case_id: string;
}

const placeOf = ({ hlc, event_id, seq }: CaseHistoryRow): Cursor => ({ at: hlc, id: `${event_id}:${seq}` });
const isAfter = (row: CaseHistoryRow, { at, id }: Cursor): boolean => row.hlc > at || (row.hlc === at && placeOf(row).id > id);
const nameOf = ({ event_id, seq }: CaseHistoryRow): string => createHash('sha1').update(`${event_id}:${seq}`).digest('hex').slice(0, 8);

/** The read position in the lines of a case: everything up to the newest line, and which lines of the seconds before it. */
export class CaseLines {
  private newest: Cursor = { at: -1, id: FIRST };
  /** Names of the lines that were read recently, with the hlc of each. */
  private readonly recent = new Map<string, number>();

  /** Restores the position from the id of an event. */
  static from(lastEventId: string | undefined): CaseLines {
    const lines = new CaseLines();
    const [cursor = '', names = ''] = lastEventId?.split('.') ?? [];
    const seen = parseCursor(cursor);
    if (!seen) return lines;
    lines.newest = seen;
    for (const name of names.match(/.{8}/g) ?? []) lines.recent.set(name, seen.at);
    return lines;
  }

  /** A copy of the position, for another reader. */
  copy(): CaseLines {
    const lines = new CaseLines();
    lines.newest = this.newest;
    for (const [name, hlc] of this.recent) lines.recent.set(name, hlc);
    return lines;
  }

  /** The event id for this line; undefined if the line was read before. */
  take(row: CaseHistoryRow): string | undefined {
    const name = nameOf(row);
    if (this.recent.has(name) || row.hlc < this.newest.at - LATE_US) return undefined;
    this.recent.set(name, row.hlc);
    if (isAfter(row, this.newest)) this.newest = placeOf(row);
    for (const [old, hlc] of this.recent) if (hlc < this.newest.at - LATE_US) this.recent.delete(old);
    const names = [...this.recent.keys()].slice(-NAMED_MAX).join('');
    return `${cursorText(this.newest)}.${names}`;
  }

  /** Reads new lines, including late ones. @returns the rows, and whether there may be more. */
  async read(sql: Sql, of: CaseName): Promise<{ rows: readonly CaseHistoryRow[]; more: boolean }> {
    const late = { at: Math.max(-1, this.newest.at - LATE_US), id: FIRST };
    const around = await caseHistory(sql, { ...of, limit: PAGE, after: late });
    if (around.next_cursor === null) return { rows: around.items, more: false };
    const last = around.items.at(-1);
    const beyond = last !== undefined && isAfter(last, this.newest) ? placeOf(last) : this.newest;
    const after = await caseHistory(sql, { ...of, limit: PAGE, after: beyond });
    return { rows: [...around.items, ...after.items], more: after.items.length > 0 };
  }
}
