/** A tenant's share of this executor. */
export interface Share {
  /** Relative share of free slots. */
  weight: number;
  /** Maximum of concurrent calls of the tenant. */
  running_max: number;
}

interface Line<T> {
  waiting: T[];
  /** Index of the first waiting item. */
  head: number;
  running: number;
  /** Virtual time: slots taken divided by weight. The smallest goes next. */
  time: number;
}

const COMPACT_AT = 1024;

/**
 * Assigns free slots: weighted fair among tenants that wait and are below their cap, first come first served within a tenant. A tenant
 * that was idle starts at the clock of the others, so that it cannot claim past slots.
 */
export class FairQueue<T extends { tenant_id: string }> {
  private readonly lines = new Map<string, Line<T>>();
  private clock = 0;
  private runningCount = 0;
  private waitingCount = 0;

  constructor(
    private readonly running_max: number,
    private readonly shareOf: (tenant_id: string) => Share,
  ) {}

  get waiting(): number {
    return this.waitingCount;
  }

  get running(): number {
    return this.runningCount;
  }

  put(item: T): void {
    let line = this.lines.get(item.tenant_id);
    if (!line) {
      line = { waiting: [], head: 0, running: 0, time: this.clock };
      this.lines.set(item.tenant_id, line);
    }
    if (line.head === line.waiting.length && line.running === 0) line.time = Math.max(line.time, this.clock);
    line.waiting.push(item);
    this.waitingCount++;
  }

  /** The next item, which now holds a slot until `release`; undefined if no item may run. */
  take(): T | undefined {
    if (this.runningCount >= this.running_max || this.waitingCount === 0) return undefined;
    let chosen: Line<T> | undefined;
    let weight = 1;
    for (const [tenant_id, line] of this.lines) {
      if (line.head === line.waiting.length || (chosen && line.time >= chosen.time)) continue;
      const share = this.shareOf(tenant_id);
      if (line.running >= share.running_max) continue;
      chosen = line;
      weight = share.weight;
    }
    if (!chosen) return undefined;
    const item = chosen.waiting[chosen.head] as T;
    chosen.waiting[chosen.head++] = undefined as never;
    if (chosen.head >= COMPACT_AT && chosen.head * 2 >= chosen.waiting.length) {
      chosen.waiting = chosen.waiting.slice(chosen.head);
      chosen.head = 0;
    }
    this.clock = chosen.time;
    chosen.time += 1 / Math.max(weight, 1e-6);
    this.waitingCount--;
    this.hold(item.tenant_id);
    return item;
  }

  /** Counts a slot as held without a wait (a call taken over from a lost executor). */
  hold(tenant_id: string): void {
    const line = this.lines.get(tenant_id) ?? { waiting: [], head: 0, running: 0, time: this.clock };
    this.lines.set(tenant_id, line);
    line.running++;
    this.runningCount++;
  }

  release(tenant_id: string): void {
    const line = this.lines.get(tenant_id);
    if (!line || line.running === 0) return;
    line.running--;
    this.runningCount--;
    if (line.running === 0 && line.head === line.waiting.length) this.lines.delete(tenant_id);
  }

  /** Removes waiting items (their partition moved to another executor, or they were cancelled). */
  drop(matches: (item: T) => boolean): T[] {
    const dropped: T[] = [];
    for (const line of this.lines.values()) {
      const kept: T[] = [];
      for (let i = line.head; i < line.waiting.length; i++) {
        const item = line.waiting[i] as T;
        (matches(item) ? dropped : kept).push(item);
      }
      line.waiting = kept;
      line.head = 0;
    }
    this.waitingCount -= dropped.length;
    return dropped;
  }
}
