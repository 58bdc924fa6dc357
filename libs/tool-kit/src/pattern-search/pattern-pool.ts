import { availableParallelism } from 'node:os';
import type { OpenSearch, PatternSearch, SearchingRun } from './pattern-search.js';
import { Search, type SearchTimes } from './search.js';
import { TenantPlaces } from './tenant-places.js';
import { ThreadPool } from './thread-pool.js';

/** Limits of the searches of one process. */
export interface PatternPoolLimits extends SearchTimes {
  threads_max: number;
  /** Searches that are open at once: of all tenants, and of one. Each reads files and holds one of them in memory. */
  open_max: number;
  tenant_open_max: number;
  /** Searches of one tenant that wait to be opened. */
  tenant_waiting_max: number;
  /** How long idle threads are kept. */
  idle_ms: number;
}

const defaults = (): PatternPoolLimits => ({
  threads_max: Math.min(4, Math.max(2, availableParallelism())),
  open_max: 8,
  tenant_open_max: 2,
  tenant_waiting_max: 64,
  idle_ms: 60_000,
  search_ms_max: 5_000,
  slice_ms_max: 2_000,
});

/** The searches of one process. No thread is started before the first search is opened. */
export class PatternPool implements PatternSearch {
  private readonly threads: ThreadPool;
  private readonly places: TenantPlaces;
  private readonly times: SearchTimes;

  constructor(changed: Partial<PatternPoolLimits> = {}) {
    const { threads_max, idle_ms, open_max, tenant_open_max, tenant_waiting_max, ...times } = { ...defaults(), ...changed };
    this.times = times;
    this.threads = new ThreadPool(threads_max, idle_ms);
    this.places = new TenantPlaces({ total: open_max, of_tenant: tenant_open_max, waiting_of_tenant: tenant_waiting_max });
  }

  /** Number of threads, and of searches that wait to be opened. */
  get load(): { threads: number; waiting: number } {
    return { threads: this.threads.started, waiting: this.places.waiting };
  }

  async open(run: SearchingRun): Promise<OpenSearch> {
    const search = new Search(run, this.threads, this.places, this.times);
    await search.begin();
    return search;
  }

  /** Ends every search and thread. Later searches are refused. */
  async close(): Promise<void> {
    this.places.close();
    await this.threads.close();
  }
}
