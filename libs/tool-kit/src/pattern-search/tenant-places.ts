import { SearchStopped } from './search-stopped.js';

export interface PlaceLimits {
  /** Places of all tenants, and the most that one tenant may have at once. */
  total: number;
  of_tenant: number;
  /** Most waiting requests of one tenant. */
  waiting_of_tenant: number;
}

interface Waiting {
  begin(): void;
  stop(why: 'aborted' | 'closed'): void;
}

/** A fixed number of places. Waiting tenants take turns; requests of one tenant are served in order. */
export class TenantPlaces {
  /** In the order of turns: the tenant that was served last is at the end. */
  private readonly lines = new Map<string, Waiting[]>();
  private readonly taken = new Map<string, number>();
  private total = 0;
  private closed = false;

  constructor(private readonly limits: PlaceLimits) {}

  get waiting(): number {
    return [...this.lines.values()].reduce((sum, line) => sum + line.length, 0);
  }

  /** Waits for a place; the caller must release it. @throws SearchStopped */
  take(tenant_id: string, signal: AbortSignal): Promise<void> {
    if (this.closed) throw new SearchStopped('closed');
    if (signal.aborted) throw new SearchStopped('aborted');
    const line = this.lines.get(tenant_id) ?? [];
    if (line.length >= this.limits.waiting_of_tenant) throw new SearchStopped('busy');
    this.lines.set(tenant_id, line);
    const place = new Promise<void>((resolve, reject) => {
      const aborted = () => this.leave(tenant_id, waiting);
      const waiting: Waiting = {
        begin: () => {
          signal.removeEventListener('abort', aborted);
          resolve();
        },
        stop: (why) => {
          signal.removeEventListener('abort', aborted);
          reject(new SearchStopped(why));
        },
      };
      signal.addEventListener('abort', aborted);
      line.push(waiting);
    });
    this.serve();
    return place;
  }

  release(tenant_id: string): void {
    const left = (this.taken.get(tenant_id) ?? 1) - 1;
    this.total--;
    if (left === 0) this.taken.delete(tenant_id);
    else this.taken.set(tenant_id, left);
    this.serve();
  }

  /** Ends all waiting requests. */
  close(): void {
    this.closed = true;
    for (const waiting of [...this.lines.values()].flat()) waiting.stop('closed');
    this.lines.clear();
  }

  private serve(): void {
    while (this.total < this.limits.total) {
      const next = [...this.lines.keys()].find((tenant_id) => (this.taken.get(tenant_id) ?? 0) < this.limits.of_tenant);
      if (next === undefined) return;
      this.begin(next);
    }
  }

  private begin(tenant_id: string): void {
    const line = this.lines.get(tenant_id) as Waiting[];
    const [first, ...others] = line;
    this.lines.delete(tenant_id);
    if (others.length > 0) this.lines.set(tenant_id, others);
    this.total++;
    this.taken.set(tenant_id, (this.taken.get(tenant_id) ?? 0) + 1);
    first?.begin();
  }

  private leave(tenant_id: string, waiting: Waiting): void {
    const others = (this.lines.get(tenant_id) ?? []).filter((other) => other !== waiting);
    if (others.length > 0) this.lines.set(tenant_id, others);
    else this.lines.delete(tenant_id);
    waiting.stop('aborted');
  }
}
