import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work before others get their turn, ms. */
const TURN_MS = 8;
/** What is sent at once of a large answer. */
const PIECE_CHARACTERS = 32_768;

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

  /** All steps; resolves with what they return. */
  async steps<T>(steps: Iterator<unknown, T>): Promise<T> {
    for (;;) {
      const next = steps.next();
      if (next.done) return next.value;
      if (this.monotonic_ms() >= this.until_ms) await this.pause();
    }
  }

  /** Text that is made in pieces, in larger ones; undefined: it is longer than `characters_max`. */
  async gathered(pieces: Iterable<string>, characters_max: number): Promise<string[] | undefined> {
    const gathered: string[] = [];
    let open = '';
    let left = characters_max;
    for (const piece of pieces) {
      open += piece;
      left -= piece.length;
      if (left < 0) return undefined;
      if (open.length >= PIECE_CHARACTERS) {
        gathered.push(open);
        open = '';
      }
      if (this.monotonic_ms() >= this.until_ms) await this.pause();
    }
    return open === '' ? gathered : [...gathered, open];
  }

  /** Every step, until one says that nothing is left. */
  async all(step: () => boolean): Promise<void> {
    while (step()) if (this.monotonic_ms() >= this.until_ms) await this.pause();
  }
}
