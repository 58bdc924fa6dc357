import { encodeProgress, progressChannel, type WakeUpChannel } from '@countersign/process';
import type { Job } from '../calls/job.js';

const PAUSE_MS = 200;

/** Reports the progress of runs: at most one hint per run in 200 ms, and always the last one (fraction 1). */
export class ProgressHints {
  constructor(private readonly channel: WakeUpChannel) {}

  /** @param before time of this run's last hint, monotonic ms; 0: none. @returns the new time. */
  tell(job: Job, before: number, fraction: number, message: string): number {
    const now = performance.now();
    if (before !== 0 && now - before < PAUSE_MS && fraction < 1) return before;
    const { call_id, tenant_id, lane } = job;
    this.channel.publish(progressChannel(lane), [encodeProgress({ call_id, tenant_id, fraction, message })]);
    return now;
  }
}
