/** The two-sided 95 % quantile of the normal distribution. */
const Z = 1.959964;

/** The 95 % interval (Wilson) of a share of which `counted` of `runs` were seen. Without runs nothing is known: 0 to 1. */
export function wilsonInterval(counted: number, runs: number): { low: number; high: number } {
  if (runs <= 0) return { low: 0, high: 1 };
  const share = counted / runs;
  const spread = Z * Math.sqrt((share * (1 - share)) / runs + (Z * Z) / (4 * runs * runs));
  const [middle, scale] = [share + (Z * Z) / (2 * runs), 1 + (Z * Z) / runs];
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}
