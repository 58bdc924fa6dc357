import { performance } from 'node:perf_hooks';

/** Time as data: every decision reads the time here, so that tests can replace it. */
export interface Clock {
  /** Wall clock, epoch ms. */
  now_ms(): number;
  /** Monotonic ms; only differences are meaningful. Used for leases. */
  monotonic_ms(): number;
}

export const systemClock: Clock = { now_ms: () => Date.now(), monotonic_ms: () => performance.now() };
