import { Worker } from 'node:worker_threads';
import { type RunContext, ToolError } from '@countersign/tool-kit';
import { refused } from './refusal.js';

const PATTERN_CHARS_MAX = 500;
const TIME_MS = 5_000;
const WORKER = new URL('./match-worker.js', import.meta.url);

/** One place in a text where the pattern matched; line and column count from 1, the text is the line, cut at 400 characters. */
export interface LineMatch {
  line: number;
  column: number;
  text: string;
}

/** What the worker is sent: either lines are searched, or each text is matched whole. */
export type MatchRequest = { texts: string[] } | { search: string; limit: number };

/**
 * Runs a regular expression of a caller's in a thread of its own, which is ended when it has been at work for 5 s: an expression
 * that backtracks for ever costs that much of one thread and nothing else. Time in which the thread has nothing to do (folders and
 * files are read) does not count; the deadline of the call ends it, too.
 */
export class Matching {
  private readonly worker: Worker;
  private left_ms = TIME_MS;
  private ended: ToolError | undefined;
  private readonly stopped: () => void;

  constructor(
    expression: RegExp,
    private readonly ctx: RunContext,
  ) {
    this.worker = new Worker(WORKER, {
      workerData: { source: expression.source, flags: expression.flags },
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
    this.stopped = () => this.end(new ToolError('CANCELLED', 'aborted while searching', { effect: 'none' }));
    ctx.signal.addEventListener('abort', this.stopped);
    if (ctx.signal.aborted) this.stopped();
  }

  /** Which of the texts match. */
  async whole(texts: string[]): Promise<boolean[]> {
    return (await this.timed({ texts })) as boolean[];
  }

  /** Where a text matches, line by line. */
  async lines(search: string, limit: number): Promise<LineMatch[]> {
    return (await this.timed({ search, limit })) as LineMatch[];
  }

  async close(): Promise<void> {
    this.ctx.signal.removeEventListener('abort', this.stopped);
    await this.worker.terminate();
  }

  private end(error: ToolError): void {
    this.ended ??= error;
    void this.worker.terminate();
  }

  private async timed(request: MatchRequest): Promise<unknown> {
    const begun_ms = performance.now();
    const late = () =>
      this.end(new ToolError('TIMEOUT', 'the pattern takes too long', { class: 'validation', retryable: false, effect: 'none' }));
    const timer = setTimeout(late, Math.max(1, Math.min(this.left_ms, this.ctx.deadline_ms - Date.now())));
    try {
      return await this.ask(request);
    } finally {
      clearTimeout(timer);
      this.left_ms -= performance.now() - begun_ms;
    }
  }

  private ask(request: MatchRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        this.worker.off('message', answered).off('error', failed).off('exit', failed);
        act();
      };
      const answered = (value: unknown) => settle(() => resolve(value));
      const failed = () =>
        settle(() => reject(this.ended ?? new ToolError('PROVIDER_ERROR', 'the search ran out of memory', { effect: 'none' })));
      if (this.ended) return reject(this.ended);
      this.worker.on('message', answered).on('error', failed).on('exit', failed);
      this.worker.postMessage(request);
    });
  }
}

/** A regular expression of a caller's, compiled. @throws ToolError where it is not one. */
export function expressionOf(source: string, flags: string, pointer: string): RegExp {
  if (source.length > PATTERN_CHARS_MAX) throw refused(pointer, 'too_long', `the pattern is longer than ${PATTERN_CHARS_MAX} characters`);
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw refused(pointer, 'not_a_pattern', (error as Error).message);
  }
}
