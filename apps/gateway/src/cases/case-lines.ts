import { createHash } from 'node:crypto';
import { type CaseHistoryRow, type Cursor, caseHistory, cursorText, parseCursor, type Sql } from '@countersign/store';

const PAGE = 500;
/** Partitions are folded in parallel: a line may arrive this much later than a line that sorts after it. In hlc units (microseconds). */
const LATE_US = 5_000_000;
/** So many of the lines of that time are named by the id of an event, to be left out when a stream comes again. */
const NAMED_MAX = 64;
const FIRST = '00000000-0000-0000-0000-000000000000:0';

export interface CaseName {
  tenant_id: string;
  case_id: string;
}

const placeOf = ({ hlc, event_id, seq }: CaseHistoryRow): Cursor => ({ at: hlc, id: `${event_id}:${seq}` });
const isAfter = (row: CaseHistoryRow, { at, id }: Cursor): boolean => row.hlc > at || (row.hlc === at && placeOf(row).id > id);
const nameOf = ({ event_id, seq }: CaseHistoryRow): string => createHash('sha1').update(`${event_id}:${seq}`).digest('hex').slice(0, 8);

/** How far the lines of a case were read: everything up to the newest line, and which ones of the last seconds before it. */
export class CaseLines {
  private newest: Cursor = { at: -1, id: FIRST };
  /** Names of the lines that were read lately, and the hlc of each. */
  private readonly recent = new Map<string, number>();

  /** From where `id` says, which is the id of an event. */
  static from(lastEventId: string | undefined): CaseLines {
    const lines = new CaseLines();
    const [cursor = '', names = ''] = lastEventId?.split('.') ?? [];
    const seen = parseCursor(cursor);
    if (!seen) return lines;
    lines.newest = seen;
    for (const name of names.match(/.{8}/g) ?? []) lines.recent.set(name, seen.at);
    return lines;
  }

  /** The same place, for another reader. */
  copy(): CaseLines {
    const lines = new CaseLines();
    lines.newest = this.newest;
    for (const [name, hlc] of this.recent) lines.recent.set(name, hlc);
    return lines;
  }

  /** The id of the event that tells this line; undefined where the line was read before. */
  take(row: CaseHistoryRow): string | undefined {
    const name = nameOf(row);
    if (this.recent.has(name) || row.hlc < this.newest.at - LATE_US) return undefined;
    this.recent.set(name, row.hlc);
    if (isAfter(row, this.newest)) this.newest = placeOf(row);
    for (const [old, hlc] of this.recent) if (hlc < this.newest.at - LATE_US) this.recent.delete(old);
    const names = [...this.recent.keys()].slice(-NAMED_MAX).join('');
    return `${cursorText(this.newest)}.${names}`;
  }

  /** Reads what is new, late lines too. @returns the rows, and whether there may be more. */
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
