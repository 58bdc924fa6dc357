import { useReducer, useRef } from 'preact/hooks';
import type { InfiniteResult } from '../gateway/use-infinite.js';
import { type HeldRows, heldRows } from './held-rows.js';

/** As `heldRows`, with the rows that were shown since the list has these filters (`list_key`). `show` shows what is held back. */
export function useHeldRows<T>(
  { items = [], is_former }: Pick<InfiniteResult<T>, 'items' | 'is_former'>,
  keyOf: (row: T) => string,
  list_key: string,
): HeldRows<T> & { show: () => void } {
  const seen = useRef({ list_key, keys: new Set<string>() });
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  if (seen.current.list_key !== list_key) seen.current = { list_key, keys: new Set() };
  const { keys } = seen.current;
  const { shown, held } = heldRows(items, keyOf, keys);
  // rows of other filters say nothing about what is new in this list
  if (!is_former) for (const row of shown) keys.add(keyOf(row));
  const show = () => {
    for (const row of items) keys.add(keyOf(row));
    render();
    window.scrollTo(0, 0);
  };
  return { shown, held, show };
}
