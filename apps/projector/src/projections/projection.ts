import type { CallState, PlacedEvent } from '@countersign/domain';
import type { Statement, ViewSet } from '@countersign/store';

/** One event with the state of its call before and after it; both undefined if it belongs to no call. */
export interface Change {
  at: PlacedEvent;
  before: CallState | undefined;
  after: CallState | undefined;
  /** For the answer to a duplicate: the call that answered it, in its state at that time. */
  original: CallState | undefined;
  /** For the end of a compensation: the call whose effect it undid, or was to undo, before and after. */
  undone?: { before: CallState; after: CallState } | undefined;
}

/** The pending writes of a projection since the last write. */
export interface PendingRows {
  fold(change: Change): void;
  /**
   * At most `ROWS_MAX` rows each, with table names in braces (`{calls}`); none if there is nothing to write. Called once, then the rows
   * are dropped.
   */
  statements(): Statement[];
}

/**
 * A read model: a pure fold of events into rows. The same events give the same rows regardless of the order of topics, the batches, and
 * repeats; within one topic and partition they are in order.
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

/** As `inChunks`, with separate statements for rows that, by the fold's knowledge, the table cannot have yet. */
export function newAndOthers<T>(rows: Iterable<T>, isNew: (row: T) => boolean, statement: (chunk: readonly T[]) => Statement): Statement[] {
  const fresh: T[] = [];
  const others: T[] = [];
  for (const row of rows) (isNew(row) ? fresh : others).push(row);
  return [...inChunks(fresh, (chunk) => ({ ...statement(chunk), new_rows: true as const })), ...inChunks(others, statement)];
}

/** PostgreSQL text cannot contain NUL. */
export function storable(text: string): string;
export function storable(text: string | null): string | null;
export function storable(text: string | null): string | null {
  return text?.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}
