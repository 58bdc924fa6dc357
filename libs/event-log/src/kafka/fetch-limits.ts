import { MESSAGE_BYTES_MAX } from './append-call.js';

/** What one fetch asks for, of all partitions together. A broker sends a first batch whole even where it is larger. */
export const FETCH_BYTES_MAX = 4 * 1024 * 1024;
export const PARTITION_BYTES_MAX = 1024 * 1024;
/** The largest answer there can be: the limit of a fetch, or one batch as large as a topic takes. */
const ANSWER_BYTES_MAX = Math.max(FETCH_BYTES_MAX, MESSAGE_BYTES_MAX);
/** The slowest network that is served, bytes a second. */
const RATE_MIN = 512 * 1024;

/**
 * How long a request may take in all, ms. A connection that is silent for `silence_ms` is cut long before; one that
 * brings bytes has the time that the largest answer takes, or the same response would be requested again and never arrive.
 */
export function requestTimeoutMs(staleness_ms: number): number {
  return staleness_ms + Math.ceil((ANSWER_BYTES_MAX / RATE_MIN) * 1_000);
}
