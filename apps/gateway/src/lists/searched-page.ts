import { type Cursor, cursorText } from '@countersign/store';
import type { Page } from './page-query.js';

/** Maximum of items that one search request reads, and the batch size. The page ends there and its cursor continues. */
const SCANNED_MAX = 1000;
const SCANNED_AT_ONCE = 100;

/** Items that a search reads, in list order, with their positions. */
export interface Searched<T> {
  read(limit: number, after: Cursor | undefined): Promise<Page<T>>;
  placeOf(item: T): Cursor;
  matches(item: T): boolean;
}

/** A page of matching items. If few match, it can be shorter than `limit` and still have a next page. */
export async function searchedPage<T>(
  list: Searched<T>,
  { limit, cursor }: { limit: number; cursor?: Cursor | undefined },
): Promise<Page<T>> {
  const items: T[] = [];
  let after = cursor;
  for (let scanned = 0; scanned < SCANNED_MAX; scanned += SCANNED_AT_ONCE) {
    const page = await list.read(SCANNED_AT_ONCE, after);
    for (const item of page.items) {
      after = list.placeOf(item);
      if (list.matches(item)) items.push(item);
      if (items.length === limit) return { items, next_cursor: cursorText(after) };
    }
    if (page.next_cursor === null) return { items, next_cursor: null };
  }
  return { items, next_cursor: after ? cursorText(after) : null };
}
