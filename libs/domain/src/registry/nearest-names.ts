const TEXT_MAX = 128;

/** Edit distance between two texts (insert, delete, replace, swap neighbours). */
export function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min((before[j] as number) + 1, (row[j - 1] as number) + 1, (before[j - 1] as number) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (older[j - 2] as number) + 1);
      row.push(least);
    }
    older = before;
    before = row;
  }
  return before[b.length] as number;
}

/** The likely intended names, nearest first; only names of which at least half matches. */
export function nearestNames(meant: string, names: readonly string[], names_max = 5): string[] {
  const wanted = meant.slice(0, TEXT_MAX).toLowerCase();
  return names
    .map((name) => ({ name, distance: name.startsWith(wanted) ? 1 : editDistance(wanted, name.slice(0, TEXT_MAX).toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.min(name.length, wanted.length) / 2))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, names_max)
    .map(({ name }) => name);
}
