import { encodeProgress, progressChannel, type WakeUpChannel } from '@countersign/process';
import type { Job } from '../calls/job.js';

const PAUSE_MS = 200;

/** Passes on how far runs are: at most one hint in 200 ms a run, and always the last (fraction 1). */
export class ProgressHints {
  constructor(private readonly channel: WakeUpChannel) {}

  /** @param before when this run's last hint went out, monotonic ms; 0: none did. @returns the same after this one. */
  tell(job: Job, before: number, fraction: number, message: string): number {
    const now = performance.now();
    if (before !== 0 && now - before < PAUSE_MS && fraction < 1) return before;
    const { call_id, tenant_id, lane } = job;
    this.channel.publish(progressChannel(lane), [encodeProgress({ call_id, tenant_id, fraction, message })]);
    return now;
  }
}
