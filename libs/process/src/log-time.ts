/** A smaller difference is the transport time of a record, not clock skew. */
const SAME_MS = 1000;
/** A larger difference comes from an old record that was read late, not from clock skew. */
const SKEW_MAX_MS = 2 * 3_600_000;
const WINDOW_MS = 60_000;

/**
 * The difference between the log's clock and this process's. Approval requests use the log's time, because the voter's machine, or the
 * instance that checks the time, may have another clock. Measured with records that are read as soon as they are appended: the least
 * delayed one of the last minute or two.
 */
export class LogTime {
  private window = { from_ms: 0, ahead_ms: Number.NEGATIVE_INFINITY };
  private before_ms = Number.NEGATIVE_INFINITY;

  /** Observes a record at the head of its partition, with the log's timestamp. */
  observe(timestamp_ms: number, own_ms: number): void {
    const ahead_ms = timestamp_ms - own_ms;
    if (Math.abs(ahead_ms) > SKEW_MAX_MS) return;
    if (own_ms - this.window.from_ms > WINDOW_MS) {
      this.before_ms = this.window.ahead_ms;
      this.window = { from_ms: own_ms, ahead_ms };
    } else this.window.ahead_ms = Math.max(this.window.ahead_ms, ahead_ms);
  }

  /** Milliseconds to add to the local clock; 0 before the first record. */
  get ahead_ms(): number {
    const ahead_ms = Math.max(this.window.ahead_ms, this.before_ms);
    return Number.isFinite(ahead_ms) && Math.abs(ahead_ms) > SAME_MS ? ahead_ms : 0;
  }
}
