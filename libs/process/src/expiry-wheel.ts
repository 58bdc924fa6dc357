/** An item that is due at a wall-clock time. */
export interface Due<T> {
  at_ms: number;
  item: T;
}

/** Due times in buckets of one second: adding is O(1), and a turn visits only due items. Never early, up to one turn late. */
export class ExpiryWheel<T> {
  private readonly buckets = new Map<number, Due<T>[]>();
  private turned_s = 0;
  private count = 0;

  add(at_ms: number, item: T): void {
    const second = Math.max(Math.floor(at_ms / 1000), this.turned_s);
    const bucket = this.buckets.get(second);
    if (bucket) bucket.push({ at_ms, item });
    else this.buckets.set(second, [{ at_ms, item }]);
    this.count++;
  }

  /** Removes entries that are no longer wanted. */
  retain(isWanted: (item: T) => boolean): void {
    this.count = 0;
    for (const [second, bucket] of this.buckets) {
      const wanted = bucket.filter(({ item }) => isWanted(item));
      this.count += wanted.length;
      if (wanted.length > 0) this.buckets.set(second, wanted);
      else this.buckets.delete(second);
    }
  }

  /** Removes and returns the items that are due at this time. */
  turn(now_ms: number): T[] {
    const now_s = Math.floor(now_ms / 1000);
    const due: T[] = [];
    for (const second of this.reached(now_s)) {
      const bucket = this.buckets.get(second) as Due<T>[];
      const later = bucket.filter((entry) => entry.at_ms > now_ms);
      for (const entry of bucket) if (entry.at_ms <= now_ms) due.push(entry.item);
      if (later.length > 0) this.buckets.set(second, later);
      else this.buckets.delete(second);
    }
    this.turned_s = now_s;
    this.count -= due.length;
    return due;
  }

  get size(): number {
    return this.count;
  }

  private reached(now_s: number): number[] {
    const steps = now_s - this.turned_s;
    if (steps < 0 || steps > this.buckets.size) return [...this.buckets.keys()].filter((second) => second <= now_s);
    const seconds: number[] = [];
    for (let second = this.turned_s; second <= now_s; second++) if (this.buckets.has(second)) seconds.push(second);
    return seconds;
  }
}
