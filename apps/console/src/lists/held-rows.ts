/** The rows of a list that is read again while a person looks at it. */
export interface HeldRows<T> {
  shown: readonly T[];
  /** New rows at the top that are not shown yet, so that nothing moves below the pointer. */
  held: number;
}

/** Holds back the rows above the first one that has been shown. Where all rows are new, the list has turned over: they are shown. */
export function heldRows<T>(rows: readonly T[], keyOf: (row: T) => string, known: ReadonlySet<string>): HeldRows<T> {
  const first = rows.findIndex((row) => known.has(keyOf(row)));
  return first <= 0 ? { shown: rows, held: 0 } : { shown: rows.slice(first), held: first };
}
