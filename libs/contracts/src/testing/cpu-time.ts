/**
 * CPU time limit, ms, for specs: work that grows quadratically or never ends exceeds it on their inputs, and linear work needs a hundredth
 * of it, so that machine load does not matter. `bench/claims.mjs` measures the real durations.
 */
export const RUNAWAY_MS = 3_000;

/** CPU time of this process for one run of some work, ms. */
export function cpuTime(work: () => unknown): number {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
