import { setTimeout as sleep } from 'node:timers/promises';

/** Rest after work, as a multiple of its duration: at most 5 % of a core. */
export const GENTLE_REST = 19;
/** Rest after work that a person waits for: half of a core. */
export const HASTY_REST = 1;

/** The process stops: the comparison so far has no result. */
export class ComparisonStopped extends Error {}

/** Runs background work one piece at a time, with a rest after each: all work with the same pace shares its part of a core. */
export class BackgroundPace {
  private last: Promise<unknown> = Promise.resolve();
  private spent = 0;

  constructor(
    private readonly rest_factor: number,
    private readonly stopping: AbortSignal,
  ) {}

  /** Total duration of all work so far, including waits for disk and database. */
  get spent_ms(): number {
    return this.spent;
  }

  get isStopped(): boolean {
    return this.stopping.aborted;
  }

  /** Runs the work after the queued work and its rest. @throws what the work throws */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(() => this.measured(work));
    this.last = done.then(
      ({ took_ms }) => this.rest(took_ms * this.rest_factor),
      () => undefined,
    );
    return done.then(({ result }) => result);
  }

  /** Ends early if the process stops. */
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
