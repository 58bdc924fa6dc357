/**
 * The entries that were set last: at least `entries_max`, and fewer than twice as many. A Map that drops its oldest entry each time has to
 * find it among thousands that were dropped before.
 */
export class RecentMap<V extends NonNullable<unknown> | null> {
  private newer = new Map<string, V>();
  private older = new Map<string, V>();

  constructor(private readonly entries_max: number) {}

  get(key: string): V | undefined {
    const value = this.newer.get(key);
    return value === undefined ? this.older.get(key) : value;
  }

  set(key: string, value: V): void {
    this.newer.set(key, value);
    if (this.newer.size < this.entries_max) return;
    this.older = this.newer;
    this.newer = new Map();
  }
}
