import type { SearchRequest } from './search-request.js';
import { SearchStopped } from './search-stopped.js';
import { type Answered, SearchThread } from './search-thread.js';
import { TenantPlaces } from './tenant-places.js';

/** One slice of a search. */
export interface Slice {
  readonly tenant_id: string;
  readonly request: SearchRequest;
  readonly time_ms: number;
  readonly signal: AbortSignal;
}

/**
 * A fixed number of threads, each started when first needed and ended after some idle time. Slices of tenants take turns, and one tenant
 * never uses all threads, so that another tenant soon finds a free one.
 */
export class ThreadPool {
  private readonly threads = new Set<SearchThread>();
  private readonly idle: SearchThread[] = [];
  private readonly places: TenantPlaces;
  private idle_timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    threads_max: number,
    private readonly idle_ms: number,
  ) {
    const of_tenant = Math.max(1, threads_max - 1);
    // Each open search waits with one slice, and the number of open searches is limited.
    this.places = new TenantPlaces({ total: threads_max, of_tenant, waiting_of_tenant: Number.POSITIVE_INFINITY });
  }

  get started(): number {
    return this.threads.size;
  }

  /** Waits for a turn and runs the slice. An abort ends the thread that runs it. @throws SearchStopped */
  async do({ tenant_id, request, time_ms, signal }: Slice): Promise<Answered> {
    await this.places.take(tenant_id, signal);
    if (this.closed) throw new SearchStopped('closed');
    const thread = this.idle.pop() ?? this.start();
    const aborted = () => void thread.stop('aborted');
    signal.addEventListener('abort', aborted);
    try {
      if (signal.aborted) throw new SearchStopped('aborted');
      return await thread.answer(request, time_ms);
    } finally {
      signal.removeEventListener('abort', aborted);
      this.release(thread);
      this.places.release(tenant_id);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.places.close();
    clearTimeout(this.idle_timer);
    await Promise.all([...this.threads].map((thread) => thread.stop('closed')));
  }

  private start(): SearchThread {
    const thread = new SearchThread();
    this.threads.add(thread);
    return thread;
  }

  private release(thread: SearchThread): void {
    if (thread.usable) this.idle.push(thread);
    else this.threads.delete(thread);
    clearTimeout(this.idle_timer);
    if (this.closed) return;
    this.idle_timer = setTimeout(() => this.endIdle(), this.idle_ms);
    this.idle_timer.unref();
  }

  /** Restarts the timer with each finished slice: working threads are not idle. */
  private endIdle(): void {
    for (const thread of this.idle.splice(0)) {
      this.threads.delete(thread);
      void thread.stop('closed');
    }
  }
}
