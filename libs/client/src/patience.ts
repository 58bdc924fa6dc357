import { setTimeout as sleep } from 'node:timers/promises';

/** The remaining time of a call, and the caller's abort signal. Every wait uses it. */
export class Patience {
  private readonly end: number;

  /** @throws RangeError for a time that is not a number above 0. */
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

  /** A signal that aborts when the time is up or the caller aborts, and after this time in any case, so that a retry is possible. */
  limit(attempt_ms: number): AbortSignal {
    const timeout = AbortSignal.timeout(Math.ceil(Math.min(this.left_ms, attempt_ms)));
    return this.signal ? AbortSignal.any([this.signal, timeout]) : timeout;
  }

  /** Waits this long; returns false at once if less time is left, and as soon as the caller aborts. */
  async pause(pause_ms: number): Promise<boolean> {
    if (pause_ms >= this.left_ms) return false;
    return sleep(Math.min(pause_ms, TIMER_MS_MAX), true, { signal: this.signal }).catch(() => false);
  }
}

/** Timers of Node are limited to 31 bits. */
const TIMER_MS_MAX = 2 ** 31 - 1;
