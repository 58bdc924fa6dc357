import { ToolError } from '../tool-error.js';
import type { LineMatch, OpenSearch, SearchingRun } from './pattern-search.js';
import { patternRefused, type SearchPattern } from './search-pattern.js';
import type { SearchReply, SearchRequest } from './search-request.js';
import { SearchStopped, type StopReason } from './search-stopped.js';
import type { TenantPlaces } from './tenant-places.js';
import type { ThreadPool } from './thread-pool.js';

const BUSY_RETRY_S = 1;

/** Thread time for one search: for all its matches, and for an indivisible step (one line, one compilation). */
export interface SearchTimes {
  search_ms_max: number;
  slice_ms_max: number;
}

/** A search of one call, one slice after the other. */
export class Search implements OpenSearch {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly aborted = () => this.controller.abort();
  private left_ms: number;
  private open = false;

  constructor(
    private readonly run: SearchingRun,
    private readonly threads: ThreadPool,
    private readonly places: TenantPlaces,
    private readonly times: SearchTimes,
  ) {
    this.left_ms = times.search_ms_max;
    this.timer = setTimeout(this.aborted, Math.max(1, run.deadline_ms - Date.now()));
    this.timer.unref();
    run.signal.addEventListener('abort', this.aborted);
    if (run.signal.aborted) this.aborted();
  }

  /** Waits for a place among the open searches. @throws ToolError if it cannot get one */
  async begin(): Promise<void> {
    try {
      await this.places.take(this.run.tenant_id, this.controller.signal);
      this.open = true;
    } catch (error) {
      this.leave();
      throw this.toolError(error);
    }
  }

  async check(pattern: SearchPattern): Promise<void> {
    if (pattern.kind === 'regex') await this.whole(pattern, []);
  }

  async whole(pattern: SearchPattern, texts: readonly string[]): Promise<boolean[]> {
    const matched: boolean[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const reply: SearchReply = await this.slice({ kind: 'whole', pattern, texts, from });
      if (reply.kind !== 'whole') throw new Error(`a thread answered ${reply.kind}`);
      matched.push(...reply.matched);
      from = reply.next;
    }
    return matched;
  }

  async lines(pattern: SearchPattern, text: Uint8Array, limit: number): Promise<LineMatch[]> {
    const hits: LineMatch[] = [];
    // A part of a larger buffer cannot be transferred.
    let bytes = text.byteLength === text.buffer.byteLength ? text : new Uint8Array(text);
    for (let from: { at: number; line: number } | undefined = { at: 0, line: 0 }; from; ) {
      const reply: SearchReply = await this.slice({ kind: 'lines', pattern, bytes, from, limit: limit - hits.length });
      if (reply.kind !== 'lines') throw new Error(`a thread answered ${reply.kind}`);
      hits.push(...reply.found.hits);
      bytes = reply.bytes;
      from = reply.found.cursor;
    }
    return hits;
  }

  async close(): Promise<void> {
    if (!this.open) return;
    this.open = false;
    this.leave();
    this.places.release(this.run.tenant_id);
  }

  private leave(): void {
    clearTimeout(this.timer);
    this.run.signal.removeEventListener('abort', this.aborted);
  }

  private async slice(request: SearchRequest): Promise<SearchReply> {
    if (this.left_ms <= 0) throw this.toolError(new SearchStopped('too_slow'));
    const time_ms = Math.min(this.left_ms, this.times.slice_ms_max);
    try {
      const { tenant_id } = this.run;
      const { reply, took_ms } = await this.threads.do({ tenant_id, request, time_ms, signal: this.controller.signal });
      this.left_ms -= took_ms;
      if (reply.kind === 'refused') throw patternRefused(request.pattern.pointer, reply.fault);
      return reply;
    } catch (error) {
      this.left_ms = 0;
      throw this.toolError(error);
    }
  }

  private toolError(error: unknown): unknown {
    if (!(error instanceof SearchStopped)) return error;
    return error.why === 'aborted' && this.run.signal.aborted
      ? cancelled('the call was aborted while it searched')
      : endOf(error.why, this.times);
  }
}

const cancelled = (message: string): ToolError => new ToolError('CANCELLED', message, { effect: 'none' });

/** The error of a call whose search was stopped. */
function endOf(why: StopReason, { search_ms_max, slice_ms_max }: SearchTimes): ToolError {
  switch (why) {
    case 'aborted':
      return new ToolError('TIMEOUT', 'the deadline of the call passed', { effect: 'none' });
    case 'closed':
      return cancelled('the executor is stopping');
    case 'failed':
      return new ToolError('PROVIDER_ERROR', 'the search ran out of memory: search fewer files, or use a shorter pattern', {
        effect: 'none',
      });
    case 'busy': {
      const message = 'too many searches of this tenant are waiting: try again later';
      const details = { reason: 'searches_waiting' };
      return new ToolError('RATE_LIMIT', message, { retryable: true, retry_after_s: BUSY_RETRY_S, details, effect: 'none' });
    }
    case 'too_slow': {
      const message = `the pattern takes too long: a search may use ${search_ms_max} ms of a thread and ${slice_ms_max} ms for one line; repeat less, or search fewer files`;
      return new ToolError('TIMEOUT', message, { class: 'validation', retryable: false, details: { reason: 'too_slow' }, effect: 'none' });
    }
    default:
      return why satisfies never;
  }
}
