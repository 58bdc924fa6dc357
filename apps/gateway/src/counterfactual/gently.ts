import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest period of work without a pause, ms. */
const TURN_MS = 8;
/** Minimum size of a chunk of a large response. */
const PIECE_CHARACTERS = 32_768;

/** Works in steps and yields to the event loop in between, so that no call waits for it. */
export class Gently {
  private until_ms: number;

  constructor(private readonly monotonic_ms: () => number) {
    this.until_ms = monotonic_ms() + TURN_MS;
  }

  /** Yields if the period is over; otherwise costs one read of the clock. */
  async pause(): Promise<void> {
    if (this.monotonic_ms() < this.until_ms) return;
    await nextTurn();
    this.until_ms = this.monotonic_ms() + TURN_MS;
  }

  /** Runs all steps; resolves with their return value. */
  async steps<T>(steps: Iterator<unknown, T>): Promise<T> {
    for (;;) {
      const next = steps.next();
      if (next.done) return next.value;
      if (this.monotonic_ms() >= this.until_ms) await this.pause();
    }
  }

  /** Joins small chunks of text into larger ones; undefined if the text is longer than `characters_max`. */
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

  /** Repeats the step until it returns false. */
  async all(step: () => boolean): Promise<void> {
    while (step()) if (this.monotonic_ms() >= this.until_ms) await this.pause();
  }
}
