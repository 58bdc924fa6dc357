import type { SearchPattern } from './search-pattern.js';

/** One match in a text; line and column count from 1, the text is the line, cut at 400 characters. */
export interface LineMatch {
  line: number;
  column: number;
  text: string;
}

/** The run that searches. */
export interface SearchingRun {
  readonly tenant_id: string;
  /** Epoch ms. */
  readonly deadline_ms: number;
  readonly signal: AbortSignal;
}

/** Runs searches for patterns of callers in separate threads. Linear in the text; tenants take turns. */
export interface PatternSearch {
  /**
   * Waits until the tenant may search. Every opened search must be closed.
   * @throws ToolError RATE_LIMIT (retryable) if too many searches of the tenant are waiting
   */
  open(run: SearchingRun): Promise<OpenSearch>;
}

/** One search of one call: it has 5 s of thread time for all its matches. */
export interface OpenSearch {
  /** @throws ToolError if the pattern is invalid */
  check(pattern: SearchPattern): Promise<void>;
  /** Which of the texts match a regular expression as a whole. @throws ToolError if it takes too long or the run is aborted */
  whole(pattern: SearchPattern, texts: readonly string[]): Promise<boolean[]>;
  /** The matching lines of a text, at most `limit`. Transfers the bytes. @throws as `whole` */
  lines(pattern: SearchPattern, bytes: Uint8Array, limit: number): Promise<LineMatch[]>;
  close(): Promise<void>;
}
