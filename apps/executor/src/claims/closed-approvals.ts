import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEvent } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Arbiter } from '../arbiter/arbiter.js';
import type { Job } from '../calls/job.js';

const LOOK_AGAIN_MS = 250;

/** Checks whether an approval closed before its grant: that record then counts, and the grant is void. */
export class ClosedApprovals {
  constructor(
    private readonly arbiter: Pick<Arbiter, 'isClosed'>,
    private readonly logger: Pick<Logger, 'error'>,
  ) {}

  check(job: Job): CallEvent | Promise<CallEvent> {
    const { approval_id } = job.authorised;
    return approval_id === null ? 'approval_open' : this.ask(job, approval_id);
  }

  private async ask(job: Job, approval_id: string): Promise<CallEvent> {
    try {
      if (!(await this.arbiter.isClosed(approval_id))) return 'approval_open';
    } catch {
      return 'store_unavailable';
    }
    this.logger.error(
      { event: 'grant_of_closed_approval', call_id: job.call_id, approval_id },
      'a grant was not executed: its approval had already closed',
    );
    return 'approval_closed';
  }

  async later(): Promise<CallEvent> {
    await sleep(LOOK_AGAIN_MS, undefined, { ref: false });
    return 'pause_over';
  }
}
