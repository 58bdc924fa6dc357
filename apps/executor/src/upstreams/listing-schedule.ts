import type { Upstream, UpstreamListing } from '@countersign/domain';

/** Times between listings. */
export interface ListingPace {
  /** Of a healthy server at an address. */
  http_ms: number;
  /** Of a command: longer than its idle time, so that it may end between two listings. */
  command_ms: number;
  /** While a tool is missing, so that its absence is confirmed. */
  missing_ms: number;
  /** First wait after a failure; it doubles up to the usual time. */
  failed_ms: number;
  /** Least time between two listings, whatever a server says of its list. */
  least_ms: number;
  /** Until another executor's turn is looked at again. */
  not_mine_ms: number;
}

export const LISTING_PACE: ListingPace = {
  http_ms: 5 * 60_000,
  command_ms: 15 * 60_000,
  missing_ms: 60_000,
  failed_ms: 5_000,
  least_ms: 10_000,
  not_mine_ms: 5_000,
};

interface Entry {
  revision: number;
  listed_ms: number | undefined;
  due_ms: number;
  failures: number;
}

/** When each upstream is listed next, by the monotonic clock. */
export class ListingSchedule {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly pace: ListingPace) {}

  /** True once for each revision of an upstream. */
  isNew(key: string, revision: number): boolean {
    const known = this.entries.get(key);
    if (known?.revision === revision) return false;
    this.entries.set(key, { revision, listed_ms: undefined, due_ms: 0, failures: 0 });
    return true;
  }

  isDue(key: string, revision: number, now_ms: number): boolean {
    const known = this.entries.get(key);
    return known === undefined || known.revision !== revision || known.due_ms <= now_ms;
  }

  notMine(key: string, now_ms: number): void {
    const known = this.entries.get(key);
    if (known) known.due_ms = now_ms + this.pace.not_mine_ms;
  }

  /** A server asks for a listing: it gets one, but no sooner than the least time after the last. */
  hasten(key: string, now_ms: number): void {
    const known = this.entries.get(key);
    if (known) known.due_ms = Math.min(known.due_ms, Math.max(now_ms, (known.listed_ms ?? 0) + this.pace.least_ms));
  }

  listed(key: string, { revision, place }: Upstream, listing: UpstreamListing | undefined, now_ms: number): void {
    const known = this.entries.get(key);
    if (!known || known.revision !== revision) return;
    known.listed_ms = now_ms;
    const is_healthy = listing?.is_healthy === true && listing.revision === revision;
    known.failures = is_healthy ? 0 : known.failures + 1;
    const usual_ms = place?.kind === 'command' ? this.pace.command_ms : this.pace.http_ms;
    if (!is_healthy) known.due_ms = now_ms + Math.min(usual_ms, this.pace.failed_ms * 2 ** Math.min(known.failures - 1, 20));
    else known.due_ms = now_ms + (isMissing(listing) ? Math.min(usual_ms, this.pace.missing_ms) : usual_ms);
  }
}

const isMissing = ({ tools }: UpstreamListing): boolean =>
  [...tools.values()].some(({ missing_since_ms, is_gone }) => missing_since_ms !== null && !is_gone);
