import type { CallState, PlacedEvent } from '@countersign/domain';
import type { Statement, ViewSet } from '@countersign/store';

/** One event with the state of its call before and after it; both undefined where it belongs to no call. */
export interface Change {
  at: PlacedEvent;
  before: CallState | undefined;
  after: CallState | undefined;
  /** Of the answer to a duplicate: the call that answered it, as the record had it then. */
  original: CallState | undefined;
  /** Of the end of a compensation: the call whose effect it undid, or was to, before and after. */
  undone?: { before: CallState; after: CallState } | undefined;
}

/** What a projection has to write since the last write. */
export interface PendingRows {
  fold(change: Change): void;
  /** At most `ROWS_MAX` rows each, tables in braces (`{calls}`); none if there is nothing to write. Called once, then the rows are dropped. */
  statements(): Statement[];
}

/**
 * A read model: a pure fold of events into rows. The same events fold to the same rows whatever the order of topics was,
 * however they were cut into batches, and however often they come; within one topic and partition they come in order.
 */
export interface Projection {
  /** Its name, version and tables. */
  set: ViewSet;
  empty(): PendingRows;
}

/** More rows in one statement block the embedded database for too long. */
const ROWS_MAX = 500;

/** One statement for each `ROWS_MAX` rows. */
export function inChunks<T>(rows: readonly T[], statement: (chunk: readonly T[]) => Statement): Statement[] {
  const statements: Statement[] = [];
  for (let from = 0; from < rows.length; from += ROWS_MAX) statements.push(statement(rows.slice(from, from + ROWS_MAX)));
  return statements;
}

/** The same with those rows apart that the table can't have yet, as far as the fold knows. */
export function newAndOthers<T>(rows: Iterable<T>, isNew: (row: T) => boolean, statement: (chunk: readonly T[]) => Statement): Statement[] {
  const fresh: T[] = [];
  const others: T[] = [];
  for (const row of rows) (isNew(row) ? fresh : others).push(row);
  return [...inChunks(fresh, (chunk) => ({ ...statement(chunk), new_rows: true as const })), ...inChunks(others, statement)];
}

/** PostgreSQL's text holds no NUL. */
export function storable(text: string): string;
export function storable(text: string | null): string | null;
export function storable(text: string | null): string | null {
  return text?.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}
