import { BoundedCounts } from './bounded-counts.js';

const SECOND_MS = 1000;

/**
 * Addresses that sent bodies without a valid key, counted by second. Each such body costs a read of up to 64 KiB before it can be
 * refused, and the garbage of many makes the collector run beside all other work. An address beyond the maximum opens no further
 * connection until the second is over.
 */
export class UnauthenticatedSenders {
  private counts: BoundedCounts;
  private second = Number.NEGATIVE_INFINITY;

  /** `per_s_max`: bodies an address a second. `now_ms`: a monotonic clock. */
  constructor(
    private readonly per_s_max: number,
    private readonly now_ms: () => number,
  ) {
    this.counts = new BoundedCounts(per_s_max);
  }

  refused(address: string): void {
    this.turn();
    this.counts.add(address, 1);
  }

  /** Whether the address has sent as many as it may in this second. */
  isBarred(address: string): boolean {
    if (this.counts.keys === 0) return false;
    this.turn();
    return this.counts.of(address) >= this.per_s_max;
  }

  private turn(): void {
    const second = Math.floor(this.now_ms() / SECOND_MS);
    if (second === this.second) return;
    this.second = second;
    if (this.counts.keys > 0) this.counts = new BoundedCounts(this.per_s_max);
  }
}
