import { setTimeout as sleep } from 'node:timers/promises';

/** The time that a call has left, and the wish to end it early. Everything that waits goes by it. */
export class Patience {
  private readonly end: number;

  /** @throws RangeError for a time that is no number above 0: it would never end, or never begin. */
  constructor(
    patience_ms: number,
    private readonly signal?: AbortSignal,
  ) {
    if (!(patience_ms > 0)) throw new RangeError(`patience_ms is ${patience_ms}: must be a number of milliseconds above 0`);
    this.end = performance.now() + patience_ms;
  }

  get left_ms(): number {
    return this.signal?.aborted ? 0 : Math.max(0, this.end - performance.now());
  }

  /** Aborts when the time is up, or when the caller does; after this long in any case, so that another try is possible. */
  limit(attempt_ms: number): AbortSignal {
    const timeout = AbortSignal.timeout(Math.ceil(Math.min(this.left_ms, attempt_ms)));
    return this.signal ? AbortSignal.any([this.signal, timeout]) : timeout;
  }

  /** Waits this long; false at once where less time is left, and as soon as the caller aborts. */
  async pause(pause_ms: number): Promise<boolean> {
    if (pause_ms >= this.left_ms) return false;
    return sleep(Math.min(pause_ms, TIMER_MS_MAX), true, { signal: this.signal }).catch(() => false);
  }
}

/** Timers of Node hold 31 bits. */
const TIMER_MS_MAX = 2 ** 31 - 1;
