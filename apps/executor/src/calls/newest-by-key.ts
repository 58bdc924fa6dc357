/**
 * The newest values by key: at least the newest `max / 2`, never more than `max`. Two generations; the older one is dropped as a whole,
 * because deleting the oldest entry of a Map walks past all deleted ones before it (5 µs at 5,000 entries, against 0.2).
 */
export class NewestByKey<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();

  constructor(private readonly max: number) {}

  get(key: string): V | undefined {
    return this.young.get(key) ?? this.old.get(key);
  }

  set(key: string, value: V): void {
    this.young.set(key, value);
    if (this.young.size * 2 < this.max) return;
    this.old = this.young;
    this.young = new Map();
  }

  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }

  deleteWhere(isExpired: (value: V) => boolean): void {
    for (const generation of [this.young, this.old]) for (const [key, value] of generation) if (isExpired(value)) generation.delete(key);
  }
}
