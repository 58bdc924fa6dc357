import { ToolError } from '@countersign/tool-kit';
import PQueue from 'p-queue';

const SECOND_MS = 1_000;
const STEP_MS = 20;
/** Requests that wait for a place; more are refused at once. */
const WAITING_MAX = 200;

export interface Limits {
  /** Requests at once. */
  at_once: number;
  per_second: number;
}

/** `first`: before all that wait, and never refused. */
export type Turn = 'next' | 'first';

/** Keeps the requests to the system of one customer within its limits: the others wait for their turn, in order. */
export class Pace {
  constructor(
    private readonly limits: Limits,
    private readonly turn: Turn = 'next',
    private readonly queue: PQueue = queueOf(limits),
  ) {}

  /** The same limits, for requests that find out what became of a write: behind new work they would come too late. */
  first(): Pace {
    return new Pace(this.limits, 'first', this.queue);
  }

  /** @throws ToolError RATE_LIMIT (effect `none`) if too many wait */
  async within<T>(request: () => Promise<T>): Promise<T> {
    if (this.turn === 'next' && this.queue.size >= WAITING_MAX)
      throw new ToolError('RATE_LIMIT', 'too many requests wait for this business system', {
        retryable: true,
        retry_after_s: 1,
        effect: 'none',
      });
    return this.queue.add(request, { priority: this.turn === 'first' ? 1 : 0 });
  }
}

/** Places are given out every 20 ms, or one at a time where that is too often; the limit holds in every interval, wherever it begins. */
function queueOf({ at_once, per_second }: Limits): PQueue {
  const interval = Math.max(STEP_MS, SECOND_MS / per_second);
  const intervalCap = Math.max(1, Math.floor((per_second * interval) / SECOND_MS));
  return new PQueue({ concurrency: at_once, interval, intervalCap, strict: true });
}
