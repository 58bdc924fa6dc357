import { CACHED_BYTES_MAX, CACHED_MS_MAX, type ResultCache } from './result-cache.js';

interface Entry {
  value: Buffer;
  until_ms: number;
}

export interface InProcessResultsOptions {
  entries_max?: number;
  bytes_max?: number;
  now_ms?: () => number;
}

/** Evicts the least recently used results, by number and by bytes. */
export class InProcessResults implements ResultCache {
  private readonly entries = new Map<string, Entry>();
  private readonly entries_max: number;
  private readonly bytes_max: number;
  private readonly now_ms: () => number;
  private held = 0;

  constructor({ entries_max = 10_000, bytes_max = 32 * 1024 * 1024, now_ms = () => performance.now() }: InProcessResultsOptions = {}) {
    this.entries_max = entries_max;
    this.bytes_max = bytes_max;
    this.now_ms = now_ms;
  }

  get bytes(): number {
    return this.held;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: string): Buffer | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.drop(key, entry);
    if (entry.until_ms <= this.now_ms()) return undefined;
    this.hold(key, entry);
    return entry.value;
  }

  put(key: string, value: Buffer, ttl_ms: number): void {
    const known = this.entries.get(key);
    if (known) this.drop(key, known);
    if (value.length > CACHED_BYTES_MAX || ttl_ms <= 0) return;
    this.hold(key, { value, until_ms: this.now_ms() + Math.min(ttl_ms, CACHED_MS_MAX) });
    for (const [oldest, entry] of this.entries) {
      if (this.entries.size <= this.entries_max && this.held <= this.bytes_max) break;
      this.drop(oldest, entry);
    }
  }

  async close(): Promise<void> {
    this.entries.clear();
    this.held = 0;
  }

  private hold(key: string, entry: Entry): void {
    this.entries.set(key, entry);
    this.held += entry.value.length + key.length;
  }

  private drop(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.held -= entry.value.length + key.length;
  }
}
