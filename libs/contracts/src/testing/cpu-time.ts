/**
 * What only work that grows with the square, or without end, takes on inputs made for it, in ms of CPU: what takes time in proportion takes a
 * hundredth, so that no load of the machine comes near. How long it really takes is judged by `bench/claims.mjs`.
 */
export const RUNAWAY_MS = 3_000;

/** CPU time of this process for one run of some work, ms. */
export function cpuTime(work: () => unknown): number {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
