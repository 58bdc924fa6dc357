import type { LaneParts } from './lane-parts.js';
import type { Job } from './running/job.js';

/** They are looked at again as if they had just come. */
export function readmit(parts: LaneParts, jobs: readonly Job[]): void {
  const now_ms = parts.deps.clock.now_ms();
  for (const job of jobs) {
    parts.dispatcher.release(job);
    parts.open.remove(job);
    parts.intake.admit(parts.partitions.of(job), job, now_ms);
  }
}

/** The lease is lost: what may have fired is its successor's to settle, what has not waits for the next lease. */
export function detachAll(parts: LaneParts): void {
  const untouched = new Set<Job['stage']>(['waiting', 'joined', 'looking_up', 'claiming']);
  detach(
    parts,
    [...parts.open.all()].filter((job) => !untouched.has(job.stage)),
  );
}

/** These jobs leave this process: a row that is claimed is its successor's, the others are admitted again. */
export function detach(parts: LaneParts, jobs: readonly Job[]): void {
  const again: Job[] = [];
  for (const job of jobs) {
    parts.runs.drop(job, 'lease_lost');
    parts.dispatcher.release(job);
    parts.open.remove(job);
    again.push(...(job.joiners ?? []));
    job.joiners = undefined;
    if (job.claimed) parts.partitions.cover(job);
    else again.push(parts.intake.fresh(job));
    job.stage = 'detached';
  }
  readmit(parts, again);
}
