import type { Job } from '../calls/job.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Calls that wait, without a slot, for the end of another effect on one of their resources. */
export class BusyCalls {
  private readonly due = new Map<Job, number>();

  /** True if the pause of any of them is over. */
  isDue(now_ms: number): boolean {
    for (const due_ms of this.due.values()) if (due_ms <= now_ms) return true;
    return false;
  }

  /** `now_ms`: monotonic. Each pause is twice as long, up to half a second. */
  park(job: Job, now_ms: number): void {
    job.busy_pause_ms = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, job.busy_pause_ms * 2));
    this.due.set(job, now_ms + job.busy_pause_ms);
  }

  /** Removes and returns those whose pause is over. */
  take(now_ms: number): Job[] {
    return this.drop((job) => (this.due.get(job) as number) <= now_ms);
  }

  /** An effect on resources ended: all parked calls are due now. */
  wake(): void {
    for (const job of this.due.keys()) this.due.set(job, Number.NEGATIVE_INFINITY);
  }

  drop(matches: (job: Job) => boolean): Job[] {
    const dropped = [...this.due.keys()].filter(matches);
    for (const job of dropped) this.due.delete(job);
    return dropped;
  }
}
