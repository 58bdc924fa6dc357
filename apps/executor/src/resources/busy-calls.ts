import type { Job } from '../calls/job.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Calls that wait, without a slot, for another effect on a resource of theirs to end. */
export class BusyCalls {
  private readonly due = new Map<Job, number>();

  /** Whether the pause of any of them is over. */
  isDue(now_ms: number): boolean {
    for (const due_ms of this.due.values()) if (due_ms <= now_ms) return true;
    return false;
  }

  /** `now_ms`: monotonic. Each time it waits twice as long, up to half a second. */
  park(job: Job, now_ms: number): void {
    job.busy_pause_ms = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, job.busy_pause_ms * 2));
    this.due.set(job, now_ms + job.busy_pause_ms);
  }

  /** Those whose pause is over; they are parked no more. */
  take(now_ms: number): Job[] {
    return this.drop((job) => (this.due.get(job) as number) <= now_ms);
  }

  /** An effect on resources ended: every call looks again now. */
  wake(): void {
    for (const job of this.due.keys()) this.due.set(job, Number.NEGATIVE_INFINITY);
  }

  drop(matches: (job: Job) => boolean): Job[] {
    const dropped = [...this.due.keys()].filter(matches);
    for (const job of dropped) this.due.delete(job);
    return dropped;
  }
}
