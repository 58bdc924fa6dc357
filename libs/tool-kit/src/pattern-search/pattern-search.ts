import type { SearchPattern } from './search-pattern.js';

/** One place in a text where the pattern matched; line and column count from 1, the text is the line, cut at 400 characters. */
export interface LineMatch {
  line: number;
  column: number;
  text: string;
}

/** The run for which something is searched. */
export interface SearchingRun {
  readonly tenant_id: string;
  /** Epoch ms. */
  readonly deadline_ms: number;
  readonly signal: AbortSignal;
}

/** Searches for patterns of callers in threads of their own. Linear in the text; tenants take turns. */
export interface PatternSearch {
  /**
   * Waits until the tenant may search. Every opened search must be closed.
   * @throws ToolError RATE_LIMIT (retryable) where too many searches of the tenant wait already
   */
  open(run: SearchingRun): Promise<OpenSearch>;
}

/** One search of one call: it has 5 s of a thread for everything that it matches. */
export interface OpenSearch {
  /** @throws ToolError where the pattern is not one */
  check(pattern: SearchPattern): Promise<void>;
  /** Which of the texts match a regular expression. @throws ToolError where it takes too long or the run is aborted */
  whole(pattern: SearchPattern, texts: readonly string[]): Promise<boolean[]>;
  /** The lines of a text in which the pattern matches, at most `limit`. The bytes are handed over. @throws as `whole` */
  lines(pattern: SearchPattern, bytes: Uint8Array, limit: number): Promise<LineMatch[]>;
  close(): Promise<void>;
}
