import { setTimeout as sleep } from 'node:timers/promises';

/** Rest after work, in times of what the work took: at most 5 % of a core. */
export const GENTLE_REST = 19;
/** Share of a core for work that a person waits for: half. */
export const HASTY_REST = 1;

/** The process stops: what was compared so far says nothing. */
export class ComparisonStopped extends Error {}

/** Does work of the background one piece at a time, and rests after each: all that shares a pace shares its part of a core. */
export class BackgroundPace {
  private last: Promise<unknown> = Promise.resolve();
  private spent = 0;

  constructor(
    private readonly rest_factor: number,
    private readonly stopping: AbortSignal,
  ) {}

  /** Milliseconds that all work took so far, waiting for disk and database included. */
  get spent_ms(): number {
    return this.spent;
  }

  get isStopped(): boolean {
    return this.stopping.aborted;
  }

  /** Runs the work after the work queued before it and its pause. @throws what the work throws */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(() => this.measured(work));
    this.last = done.then(
      ({ took_ms }) => this.rest(took_ms * this.rest_factor),
      () => undefined,
    );
    return done.then(({ result }) => result);
  }

  /** Ends early where the process stops. */
  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping, ref: false }).catch(() => undefined);
  }

  private async measured<T>(work: () => Promise<T>): Promise<{ result: T; took_ms: number }> {
    const since = performance.now();
    const result = await work();
    const took_ms = performance.now() - since;
    this.spent += took_ms;
    return { result, took_ms };
  }
}
