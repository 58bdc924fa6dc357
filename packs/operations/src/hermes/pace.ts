import { setTimeout } from 'node:timers/promises';
import { ToolError } from '@countersign/tool-kit';

const SECOND_MS = 1_000;
/** Requests that wait for a place; more are refused at once. */
const WAITING_MAX = 200;

export interface Limits {
  /** Requests at once. */
  at_once: number;
  per_second: number;
}

/** Keeps the requests to the system of one customer within its limits: the others wait for their turn, in order. */
export class Pace {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  /** Monotonic ms at which the next request may begin. */
  private next_ms = 0;

  constructor(private readonly limits: Limits) {}

  /** @throws ToolError RATE_LIMIT (effect `none`) if too many wait */
  async within<T>(request: () => Promise<T>): Promise<T> {
    if (this.waiting.length >= WAITING_MAX)
      throw new ToolError('RATE_LIMIT', 'too many requests wait for this business system', {
        retryable: true,
        retry_after_s: 1,
        effect: 'none',
      });
    if (this.running >= this.limits.at_once) await new Promise<void>((turn) => this.waiting.push(turn));
    else this.running++;
    try {
      await this.slot();
      return await request();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async slot(): Promise<void> {
    const now_ms = performance.now();
    const at_ms = Math.max(now_ms, this.next_ms);
    this.next_ms = at_ms + SECOND_MS / this.limits.per_second;
    if (at_ms > now_ms) await setTimeout(at_ms - now_ms);
  }
}
