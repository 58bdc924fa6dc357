/**
 * Results that may be given again, by key: a hint in front of running a tool, bounded, and lost at will. Nothing is kept
 * here that the log does not have.
 */
export interface ResultCache {
  /** In process at once, elsewhere a promise that never rejects; undefined: not there. */
  get(key: string): Buffer | undefined | Promise<Buffer | undefined>;
  /** Forgotten after `ttl_ms`, or earlier where there is no room. */
  put(key: string, value: Buffer, ttl_ms: number): void;
  close(): Promise<void>;
}

/** A larger result is not kept. */
export const CACHED_BYTES_MAX = 256 * 1024;
/** Nothing is kept for longer: 30 days. */
export const CACHED_MS_MAX = 30 * 24 * 3_600_000;
