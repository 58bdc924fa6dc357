import { Redis } from 'ioredis';
import { RedisFaults } from '../wake-ups/redis-faults.js';
import { CACHED_BYTES_MAX, CACHED_MS_MAX, type ResultCache } from './result-cache.js';

export interface RedisResultsOptions {
  /** redis://host:port */
  url: string;
  /** Prefix of each key, for a shared Redis. */
  prefix?: string;
  /** Called for each lost connection; the cache then finds nothing. */
  on_fault?: (error: Error) => void;
}

const ANSWER_MS = 250;
const RECONNECT_MAX_MS = 2_000;

/** Results in Redis, each with its own expiry. While Redis is unavailable or slow, nothing is found and nothing waits. */
export class RedisResults implements ResultCache {
  private readonly redis: Redis;
  private readonly faults: RedisFaults;
  private readonly prefix: string;

  constructor({ url, prefix = '', on_fault }: RedisResultsOptions) {
    this.prefix = `${prefix}countersign:result:`;
    this.redis = new Redis(url, {
      enableOfflineQueue: false,
      commandTimeout: ANSWER_MS,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt: number) => Math.min(attempt * 100, RECONNECT_MAX_MS),
    });
    this.faults = new RedisFaults(this.redis, (error) => on_fault?.(error));
  }

  async get(key: string): Promise<Buffer | undefined> {
    return (await this.redis.getBuffer(this.prefix + key).catch(() => null)) ?? undefined;
  }

  put(key: string, value: Buffer, ttl_ms: number): void {
    if (value.length > CACHED_BYTES_MAX || ttl_ms < 1) return;
    this.redis.set(this.prefix + key, value, 'PX', Math.min(Math.round(ttl_ms), CACHED_MS_MAX)).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.faults.end();
    this.redis.disconnect();
  }
}
