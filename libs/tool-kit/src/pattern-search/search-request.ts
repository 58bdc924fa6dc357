import type { LineCursor, LinesFound } from './line-search.js';
import type { PatternFault, SearchPattern } from './search-pattern.js';

/** A request to a thread: to match texts as a whole from an index on, or to find lines from a line on. No texts: only compile. */
export type SearchRequest =
  | { kind: 'whole'; pattern: SearchPattern; texts: readonly string[]; from: number }
  | { kind: 'lines'; pattern: SearchPattern; bytes: Uint8Array; from: LineCursor; limit: number };

/** The reply of a thread after about one slice of work; with `next` or a cursor there is more to do. */
export type SearchReply =
  | { kind: 'refused'; fault: PatternFault }
  | { kind: 'whole'; matched: boolean[]; next?: number }
  | { kind: 'lines'; found: LinesFound; bytes: Uint8Array };

/** The thread has started. `thread_id`: for `threadTimeMs`. */
export interface SearchThreadReady {
  kind: 'ready';
  thread_id: string | undefined;
}
