import { type Cursor, cursorText } from '@countersign/store';

export const LIMIT_MAX = 500;
export const LIMIT_DEFAULT = 100;

/** A page of an in-memory list, ordered by `idOf`. */
export function pageOf<T, F>(
  items: readonly T[],
  page: { limit: number; after?: Cursor },
  idOf: (item: T) => string,
  face: (item: T) => F,
): { items: F[]; next_cursor: string | null } {
  const sorted = [...items].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const after = page.after;
  const rest = after ? sorted.filter((item) => idOf(item) > after.id) : sorted;
  const shown = rest.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: shown.map(face),
    next_cursor: rest.length > shown.length && last !== undefined ? cursorText({ at: 0, id: idOf(last) }) : null,
  };
}
