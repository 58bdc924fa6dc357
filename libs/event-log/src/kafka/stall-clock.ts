/** State of a subscription: it moves or has nothing to do, it is stuck, or unknown because Kafka does not respond. */
export type Sighting = 'moving' | 'stuck' | 'unknown';
export type StallStep = 'none' | 'rebuild' | 'fail';

/**
 * Decides when a stuck subscription is rebuilt, and when the rebuild had no effect. Pure: times are data, ms of one monotonic clock. Only
 * time in which Kafka responds counts: an outage of the cluster is waited for, and ends no process.
 */
export class StallClock {
  private stuck_since_ms: number | undefined;
  private unknown_at_ms = Number.NEGATIVE_INFINITY;
  private rebuilt = false;

  constructor(private readonly stall_ms: number) {}

  /** Whether it was rebuilt without effect. */
  get stalled(): boolean {
    return this.rebuilt;
  }

  /** @param since_ms when a stuck subscription made its last progress */
  see(sighting: Sighting, now_ms: number, since_ms = now_ms): StallStep {
    if (sighting !== 'stuck') {
      this.stuck_since_ms = undefined;
      if (sighting === 'moving') this.rebuilt = false;
      else this.unknown_at_ms = now_ms;
      return 'none';
    }
    this.stuck_since_ms ??= Math.max(since_ms, this.unknown_at_ms);
    if (now_ms - this.stuck_since_ms < this.stall_ms) return 'none';
    if (this.rebuilt) return 'fail';
    this.stuck_since_ms = now_ms;
    this.rebuilt = true;
    return 'rebuild';
  }
}
