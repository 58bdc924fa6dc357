import { setTimeout as sleep } from 'node:timers/promises';
import { type Store, type UnhealthyPack, unhealthyPacks } from '@countersign/store';

/** Cache time of a result, because the route is public. */
const FRESH_MS = 1000;
const WAIT_MS = 300;

/** The packs that running executors cannot use, as their heartbeats report. */
export class PackHealth {
  private read_at_ms = Number.NEGATIVE_INFINITY;
  private known: readonly UnhealthyPack[] = [];

  constructor(
    private readonly store: Store,
    private readonly monotonic_ms: () => number,
  ) {}

  /** Sorted by name. The last known result if the store does not answer at once. */
  async unhealthy(): Promise<readonly UnhealthyPack[]> {
    const now_ms = this.monotonic_ms();
    if (now_ms - this.read_at_ms < FRESH_MS) return this.known;
    this.read_at_ms = now_ms;
    const read = unhealthyPacks(this.store).catch(() => this.known);
    this.known = await Promise.race([read, sleep(WAIT_MS, this.known, { ref: false })]);
    return this.known;
  }
}
