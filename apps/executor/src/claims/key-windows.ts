import { caseOf } from '@countersign/domain';
import type { Job } from '../calls/job.js';
import type { OwnConfiguration } from '../judging/judge.js';

/** How long a settled key answers: for its window, and at least while its case is open. */
export class KeyWindows {
  constructor(private readonly configuration: OwnConfiguration) {}

  of(job: Job): number {
    const { case_id, window_ms } = job.call;
    if (case_id === null) return window_ms;
    return caseOf(this.configuration.state, job.tenant_id, case_id)?.state === 'closed' ? window_ms : Number.POSITIVE_INFINITY;
  }
}
