import { MESSAGE_BYTES_MAX } from './append-call.js';

/** Limit of one fetch for all partitions together. A broker sends a first batch completely even if it is larger. */
export const FETCH_BYTES_MAX = 4 * 1024 * 1024;
export const PARTITION_BYTES_MAX = 1024 * 1024;
/** The largest possible response: the limit of a fetch, or one batch of the topic's maximum size. */
const ANSWER_BYTES_MAX = Math.max(FETCH_BYTES_MAX, MESSAGE_BYTES_MAX);
/** The slowest supported network, bytes per second. */
const RATE_MIN = 512 * 1024;

/**
 * Total time limit of a request, ms. A connection that is silent for `silence_ms` is cut long before; one that transfers bytes gets the
 * time that the largest response takes, or the same response would be requested repeatedly and never arrive.
 */
export function requestTimeoutMs(staleness_ms: number): number {
  return staleness_ms + Math.ceil((ANSWER_BYTES_MAX / RATE_MIN) * 1_000);
}
