/** Bounds a rate: holds `capacity` at most, and refills with time. */
export class TokenBucket {
  private held: number;
  private at_ms = performance.now();

  constructor(
    private readonly capacity: number,
    private readonly per_s: number,
  ) {
    this.held = capacity;
  }

  /** False: the rate is exceeded, and nothing was taken. */
  take(count: number): boolean {
    const now_ms = performance.now();
    this.held = Math.min(this.capacity, this.held + ((now_ms - this.at_ms) / 1000) * this.per_s);
    this.at_ms = now_ms;
    if (count > this.held) return false;
    this.held -= count;
    return true;
  }
}
