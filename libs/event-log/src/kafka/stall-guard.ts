import { faultOf } from './kafka-client.js';
import type { KafkaSettings } from './kafka-options.js';
import { type Sighting, StallClock } from './stall-clock.js';

/** A position without activity since a time, while no handler works on it. */
export interface StuckPosition {
  topic: string;
  partition: number;
  /** Everything below this offset has been handled. */
  handled: number;
  since_ms: number;
  waits_for: 'fetch' | 'membership' | 'offsets';
}

export interface Watched {
  /** The positions without progress since before this time (monotonic, ms). */
  stuck(before_ms: number): readonly StuckPosition[];
  /** Drops the connections and clients that these positions wait for, and creates new ones. */
  rebuild(stuck: readonly StuckPosition[]): void;
}

/** The heads of partitions, read with a separate client. @throws if Kafka does not respond. */
export type ProbeHeads = (positions: readonly StuckPosition[]) => Promise<readonly number[]>;

/** Share of `stall_ms` without progress after which Kafka is queried for unread records. */
const SUSPECT_SHARE = 0.25;
const CHECKS_A_SUSPICION = 3;
/** A check that is this many intervals late shows that the process was suspended, not the subscription. */
const LATE_INTERVALS = 3;

/**
 * Watches one subscription or follower: after `stall_ms` with records to read and without progress it is rebuilt, and after the same time
 * again the process is stopped. A handler that runs or is retried, a full buffer, a topic without newer records and a cluster that does
 * not respond are no stall.
 */
export class StallGuard {
  private readonly clock: StallClock;
  private readonly interval_ms: number;
  private timer: NodeJS.Timeout | undefined;
  private checked_at_ms = performance.now();
  private checking = false;
  private failed = false;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly name: string,
    private readonly watched: Watched,
    private readonly probe: ProbeHeads,
  ) {
    this.clock = new StallClock(settings.stall_ms);
    this.interval_ms = Math.max(10, (settings.stall_ms * SUSPECT_SHARE) / CHECKS_A_SUSPICION);
  }

  /** Whether it was rebuilt without effect. */
  get stalled(): boolean {
    return this.failed || (this.timer !== undefined && this.clock.stalled);
  }

  start(): void {
    this.checked_at_ms = performance.now();
    this.timer ??= setInterval(() => void this.check(), this.interval_ms).unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async check(): Promise<void> {
    if (this.checking) return;
    this.checking = true;
    const late = performance.now() - this.checked_at_ms > LATE_INTERVALS * this.interval_ms;
    try {
      const { sighting, stuck } = late ? { sighting: 'unknown' as const, stuck: [] } : await this.look();
      if (this.timer) this.act(sighting, stuck);
    } finally {
      this.checking = false;
      this.checked_at_ms = performance.now();
    }
  }

  private async look(): Promise<{ sighting: Sighting; stuck: readonly StuckPosition[] }> {
    const before_ms = performance.now() - this.settings.stall_ms * SUSPECT_SHARE;
    const suspects = this.watched.stuck(before_ms);
    if (suspects.length === 0) return { sighting: 'moving', stuck: [] };
    let heads: readonly number[];
    try {
      heads = await this.probe(suspects);
    } catch (error) {
      this.settings.warn('cannot check whether a subscription is stalled', {
        event: 'stall_check_failed',
        name: this.name,
        error: faultOf('heads', error).message,
      });
      return { sighting: 'unknown', stuck: [] };
    }
    // A position that moved during the query is not stuck.
    const still = new Map(this.watched.stuck(before_ms).map((one) => [`${one.topic}/${one.partition}`, one.handled]));
    const stuck = suspects.filter(
      (one, at) => (heads[at] ?? 0) > one.handled && still.get(`${one.topic}/${one.partition}`) === one.handled,
    );
    return { sighting: stuck.length > 0 ? 'stuck' : 'moving', stuck };
  }

  private act(sighting: Sighting, stuck: readonly StuckPosition[]): void {
    const was_stalled = this.clock.stalled;
    const now_ms = performance.now();
    const step = this.clock.see(sighting, now_ms, Math.min(now_ms, ...stuck.map(({ since_ms }) => since_ms)));
    const detail = { event: 'subscription_stalled', name: this.name, stall_ms: this.settings.stall_ms, stuck: stuck.slice(0, 10) };
    if (step === 'rebuild') {
      this.settings.warn('a subscription makes no progress; rebuilding it', detail);
      this.watched.rebuild(stuck);
    } else if (step === 'fail') {
      this.failed = true;
      this.close();
      this.settings.fail('a subscription makes no progress, although it was rebuilt', detail);
    } else if (was_stalled && !this.clock.stalled) {
      this.settings.tell('a subscription makes progress again', { event: 'subscription_recovered', name: this.name });
    }
  }
}
