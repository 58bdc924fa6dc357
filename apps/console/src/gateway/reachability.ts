const PROBE_FIRST_MS = 1_000;
const PROBE_LONGEST_MS = 15_000;

/** Whether the gateway answers. While it does not, it is probed with growing pauses. */
export class Reachability {
  private is_reachable = true;
  private last_ms: number;
  private pause_ms = PROBE_FIRST_MS;
  private readonly listeners = new Set<(is_reachable: boolean) => void>();

  /** @param probe resolves if the gateway answers, whatever it answers */
  constructor(
    private readonly probe: () => Promise<unknown>,
    private readonly now_ms: () => number = Date.now,
  ) {
    this.last_ms = now_ms();
  }

  get reachable(): boolean {
    return this.is_reachable;
  }

  /** When the gateway said something last: what is shown is as it was then. */
  get reached_at(): string {
    return new Date(this.last_ms).toISOString();
  }

  reached(): void {
    this.last_ms = this.now_ms();
    this.pause_ms = PROBE_FIRST_MS;
    this.set(true);
  }

  failed(): void {
    if (!this.is_reachable) return;
    this.set(false);
    this.schedule();
  }

  /** Probes at once: a person asked for it, or a stream was cut. */
  async check(): Promise<void> {
    await this.probe().then(
      () => this.reached(),
      () => this.failed(),
    );
  }

  subscribe(listener: (is_reachable: boolean) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private schedule(): void {
    setTimeout(async () => {
      if (this.is_reachable) return;
      await this.check();
      if (!this.is_reachable) this.schedule();
    }, this.pause_ms);
    this.pause_ms = Math.min(this.pause_ms * 2, PROBE_LONGEST_MS);
  }

  private set(is_reachable: boolean): void {
    if (is_reachable === this.is_reachable) return;
    this.is_reachable = is_reachable;
    for (const listener of [...this.listeners]) listener(is_reachable);
  }
}
