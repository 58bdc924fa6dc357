/** A row of a list that people read while it changes. `is_gone`: it is no longer part of the list, and stays in its place until it is cleared. */
export interface StableRow<T> {
  key: string;
  item: T;
  is_gone: boolean;
}

/** More rows of the past than this are cleared, the oldest first. */
const GONE_MAX = 300;

/**
 * The rows after the list was read again: no row changes its place, new ones come last. `isBeyond`: the list is read only to a place before
 * this item, so that its absence says nothing.
 */
export function nextRows<T>(
  rows: readonly StableRow<T>[],
  items: readonly T[],
  keyOf: (item: T) => string,
  isBeyond: (item: T) => boolean = () => false,
): StableRow<T>[] {
  const present = new Map(items.map((item) => [keyOf(item), item]));
  const known = new Set(rows.map(({ key }) => key));
  const kept = rows.map(({ key, item, is_gone }): StableRow<T> => {
    const now = present.get(key);
    return now === undefined ? { key, item, is_gone: is_gone || !isBeyond(item) } : { key, item: now, is_gone: false };
  });
  const added = items.filter((item) => !known.has(keyOf(item))).map((item) => ({ key: keyOf(item), item, is_gone: false }));
  let extra = kept.filter(({ is_gone }) => is_gone).length - GONE_MAX;
  return [...kept.filter(({ is_gone }) => !(is_gone && extra-- > 0)), ...added];
}
