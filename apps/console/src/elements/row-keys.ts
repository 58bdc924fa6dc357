/** The row that a key leads to from the selected one; undefined where it stays. */
export function rowAfter(key: string, selected: number, count: number): number | undefined {
  if (count === 0) return undefined;
  const to = { j: selected + 1, ArrowDown: selected + 1, k: selected - 1, ArrowUp: selected - 1, Home: 0, End: count - 1 }[key];
  if (to === undefined) return undefined;
  const row = Math.min(Math.max(to, 0), count - 1);
  return row === selected ? undefined : row;
}
