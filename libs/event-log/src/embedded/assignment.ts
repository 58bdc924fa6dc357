/**
 * Distributes partition numbers 0..count-1 over members so that their shares differ by at most one and as few as possible move.
 * @param owned the current partitions of each member, in the order of joining
 * @returns the new partitions of each member, in the same order
 */
export function assign(count: number, owned: readonly ReadonlySet<number>[]): Set<number>[] {
  if (owned.length === 0) return [];
  const least = Math.floor(count / owned.length);
  let more = count % owned.length;
  const free = new Set(Array.from({ length: count }, (_, partition) => partition));
  const result = owned.map((has) => {
    const kept = new Set<number>();
    const quota = has.size > least && more > 0 ? least + 1 : least;
    for (const partition of has) {
      if (kept.size === quota) break;
      if (free.delete(partition)) kept.add(partition);
    }
    if (kept.size > least) more--;
    return kept;
  });
  const left = [...free].sort((a, b) => a - b);
  for (const set of result) while (set.size < least) set.add(left.shift()!);
  for (const set of result) if (left.length > 0 && set.size === least) set.add(left.shift()!);
  return result;
}
