/** Where the next page of a list starts: the sort value and the id of the last item of the current page. */
export interface Cursor {
  at: number;
  id: string;
}

export interface Page<T> {
  items: T[];
  /** Pass it as `cursor` to get the next page; null at the end. */
  next_cursor: string | null;
}

export function cursorText(cursor: Cursor): string {
  return Buffer.from(`${cursor.at}|${cursor.id}`).toString('base64url');
}

/** Undefined if the text is not a valid cursor. */
export function parseCursor(text: string): Cursor | undefined {
  const match = /^(\d{1,16})\|([\w.:-]{1,200})$/.exec(Buffer.from(text, 'base64url').toString());
  return match ? { at: Number(match[1]), id: match[2] as string } : undefined;
}

/** Builds the page of `limit` items from the rows of a query with a limit of one more. */
export function pageOf<T>(rows: T[], limit: number, cursorOf: (last: T) => Cursor): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? cursorText(cursorOf(last)) : null };
}
