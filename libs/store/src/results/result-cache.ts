/** Cached results of tools, by key: they save a run, are bounded, and may be lost at any time. The log has everything that is cached. */
export interface ResultCache {
  /** Synchronous in process, otherwise a promise that never rejects; undefined: not cached. */
  get(key: string): Buffer | undefined | Promise<Buffer | undefined>;
  /** Expires after `ttl_ms`, or is evicted earlier if there is no room. */
  put(key: string, value: Buffer, ttl_ms: number): void;
  close(): Promise<void>;
}

/** A larger result is not cached. */
export const CACHED_BYTES_MAX = 256 * 1024;
/** Longest expiry of a result: 30 days. */
export const CACHED_MS_MAX = 30 * 24 * 3_600_000;
