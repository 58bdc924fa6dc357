import type { Mulberry32 } from '../../mulberry32.js';
import type { LatencyRange, LevelRates } from './rates.js';

/** The 99 % quantile of the normal distribution. */
const Z99 = 2.326348;
const LEAST_MS = 1e-3;

export type Outcome = 'succeeded' | 'failed' | 'in_doubt';

export function drawOutcome({ failed, in_doubt }: LevelRates, random: Mulberry32): Outcome {
  const roll = random.unit();
  if (roll < failed) return 'failed';
  return roll < failed + in_doubt ? 'in_doubt' : 'succeeded';
}

/** A duration from the log-normal distribution with these quantiles, milliseconds. */
export function drawLatency(latency: LatencyRange | null, random: Mulberry32): number {
  if (!latency || latency.p99_ms <= 0) return 0;
  const p50_ms = Math.max(LEAST_MS, latency.p50_ms);
  const sigma = Math.log(Math.max(p50_ms, latency.p99_ms) / p50_ms) / Z99;
  const normal = Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
  return p50_ms * Math.exp(sigma * normal);
}

/** The index that a share falls on. */
export function drawIndex(shares: readonly number[], random: Mulberry32): number {
  let roll = random.unit();
  for (const [at, share] of shares.entries()) {
    if (roll < share) return at;
    roll -= share;
  }
  return shares.length - 1;
}
