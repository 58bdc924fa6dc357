import type { Query, QueryClient } from '@tanstack/query-core';
import { type Change, isChanged, type Kind, type QueryKey } from './query-keys.js';

/** Changes of this time are read together. */
const FLUSH_MS = 300;

const keyOf = (query: Query): QueryKey => query.queryKey as unknown as QueryKey;
const alsoOf = (query: Query): readonly Kind[] | undefined => query.meta?.also as readonly Kind[] | undefined;

/**
 * Reads again what changed. A query whose request runs is read once more afterwards: its answer may be older than the change. However
 * many changes arrive, each query has one request at a time.
 */
export class Invalidator {
  private readonly pending = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly client: QueryClient) {}

  changed(change: Change): void {
    for (const query of this.client.getQueryCache().getAll())
      if (isChanged(keyOf(query), alsoOf(query), change)) this.pending.add(query.queryHash);
    this.schedule();
  }

  everything(): void {
    for (const query of this.client.getQueryCache().getAll()) this.pending.add(query.queryHash);
    this.schedule();
  }

  /** Reads at once what a person has just changed. Resolves when it is read. */
  async now(changes: readonly Change[]): Promise<void> {
    for (const change of changes) this.changed(change);
    const taken = new Set(this.pending);
    this.pending.clear();
    // the client asks the predicate twice: for what is out of date, and for what it reads
    await this.client.invalidateQueries({ predicate: ({ queryHash }) => taken.has(queryHash) });
  }

  private schedule(): void {
    if (this.pending.size > 0 && this.timer === undefined) this.timer = setTimeout(() => this.flush(), FLUSH_MS);
  }

  private flush(): void {
    this.timer = undefined;
    const cache = this.client.getQueryCache();
    for (const hash of [...this.pending]) {
      const query = cache.get(hash);
      if (query?.state.fetchStatus === 'fetching') continue;
      this.pending.delete(hash);
      if (query) void this.client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }
    this.schedule();
  }
}
