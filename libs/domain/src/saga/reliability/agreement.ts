/** ln(2 / 6e-5): the bound is exceeded by chance in at most 6 of 100,000 simulations. */
const LOG = 10.4;

/**
 * The largest difference between a probability and its simulated share that chance explains (Bernstein's inequality). It holds for few runs
 * and for probabilities near 0 and 1 too.
 */
export function differenceMax(probability: number, runs: number): number {
  const variance = Math.max(0, probability * (1 - probability));
  return Math.sqrt((2 * variance * LOG) / runs) + (2 * LOG) / (3 * runs);
}
