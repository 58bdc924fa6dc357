import { canonicalText, type Principal } from '@countersign/contracts';

/** Distinct queries that the end of a range names; the others are only counted. */
const QUERIES_MAX = 50;
const QUERY_CHARACTERS_MAX = 1000;

/** What a reader asked for, and how many events it was given. */
export interface CountedRead {
  what: 'events' | 'event' | 'proof' | 'leaves';
  query: Readonly<Record<string, unknown>>;
  items: number;
}

/** What the end of a range says about its reads. */
export interface RangeCounts {
  reads: number;
  items: number;
  query_json: string;
}

/** The reads of one principal from the opening of the range until its end. The opening is on the log before the first answer. */
export class ReadRange {
  private reads = 0;
  private items = 0;
  private left_out = 0;
  private readonly counts: Record<string, number> = {};
  private readonly queries = new Map<string, { what: string; query: unknown }>();

  constructor(
    readonly tenant_id: string,
    readonly by: Principal,
    /** event_id of the opening. */
    readonly opened_by: string,
    readonly until_ms: number,
  ) {}

  add({ what, query, items }: CountedRead): void {
    this.reads++;
    this.items += items;
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    const given = givenIn(query);
    const key = canonicalText({ what, query: given });
    if (this.queries.has(key)) return;
    if (this.queries.size >= QUERIES_MAX || key.length > QUERY_CHARACTERS_MAX) this.left_out++;
    else this.queries.set(key, { what, query: given });
  }

  counted(): RangeCounts {
    const queries = { counts: this.counts, queries: [...this.queries.values()], left_out: this.left_out };
    return { reads: this.reads, items: this.items, query_json: canonicalText(queries) };
  }
}

/** The members of a query that were sent. */
export const givenIn = (query: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
