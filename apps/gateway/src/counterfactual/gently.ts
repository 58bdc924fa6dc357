import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work before others get their turn, ms. */
const TURN_MS = 8;

/** Does work a step at a time and gives way in between, so that no call waits for it. */
export class Gently {
  private until_ms: number;

  constructor(private readonly monotonic_ms: () => number) {
    this.until_ms = monotonic_ms() + TURN_MS;
  }

  /** Gives way where the turn is over; costs a look at the clock otherwise. */
  async pause(): Promise<void> {
    if (this.monotonic_ms() < this.until_ms) return;
    await nextTurn();
    this.until_ms = this.monotonic_ms() + TURN_MS;
  }

  /** Every step, until one says that nothing is left. */
  async all(step: () => boolean): Promise<void> {
    while (step()) if (this.monotonic_ms() >= this.until_ms) await this.pause();
  }
}
