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
 * Runs a regular expression of a caller's in a thread of its own, which is ended at the deadline: an expression that
 * backtracks for ever costs 5 s of one thread and nothing else.
 */
export class Matching {
  private readonly worker: Worker;
  private readonly timer: NodeJS.Timeout;
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
    const time_ms = Math.max(1, Math.min(TIME_MS, ctx.deadline_ms - Date.now()));
    const late = () =>
      this.end(new ToolError('TIMEOUT', 'the pattern takes too long', { class: 'validation', retryable: false, effect: 'none' }));
    this.timer = setTimeout(late, time_ms);
    this.stopped = () => this.end(new ToolError('CANCELLED', 'aborted while searching', { effect: 'none' }));
    ctx.signal.addEventListener('abort', this.stopped);
    if (ctx.signal.aborted) this.stopped();
  }

  /** Which of the texts match. */
  async whole(texts: string[]): Promise<boolean[]> {
    return (await this.ask({ texts })) as boolean[];
  }

  /** Where a text matches, line by line. */
  async lines(search: string, limit: number): Promise<LineMatch[]> {
    return (await this.ask({ search, limit })) as LineMatch[];
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.ctx.signal.removeEventListener('abort', this.stopped);
    await this.worker.terminate();
  }

  private end(error: ToolError): void {
    this.ended ??= error;
    void this.worker.terminate();
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
