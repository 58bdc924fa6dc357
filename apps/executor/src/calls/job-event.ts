import type { CallEvent } from '@countersign/domain';
import type { Job } from './job.js';
import type { Verdict } from './verdict.js';

/** Something that happened to a call. */
export interface JobEvent {
  job: Job;
  event: CallEvent;
  /** How the call ends by it, where it is not too late for that. */
  verdict?: Verdict;
}
