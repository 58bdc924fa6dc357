import { performance } from 'node:perf_hooks';

/** Time as data: everything that decides gets it from here, so that tests can give another. */
export interface Clock {
  /** Wall clock, epoch ms. */
  now_ms(): number;
  /** Monotonic ms; only differences mean something. Leases go by it. */
  monotonic_ms(): number;
}

export const systemClock: Clock = { now_ms: () => Date.now(), monotonic_ms: () => performance.now() };
