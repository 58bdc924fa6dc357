import type { CallEvent } from '@countersign/domain';
import type { Job } from './job.js';
import type { Verdict } from './verdict.js';

/** An event in the life of a call. */
export interface JobEvent {
  job: Job;
  event: CallEvent;
  /** How the event ends the call, unless it comes too late. */
  verdict?: Verdict;
}
