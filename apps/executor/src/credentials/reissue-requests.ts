import { type EventCodec, metaAfter } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { type Clock, type Logger, securityRecord } from '@countersign/process';
import type { Job } from '../calls/job.js';

/**
 * Reports on `security-event` that a credential must be issued again. The response of the call reports it too, so a lost event is
 * harmless.
 */
export class ReissueRequests {
  constructor(
    private readonly log: EventLog,
    private readonly codec: EventCodec,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  ask(job: Job, detail: string): void {
    const recorded_at_ms = this.clock.now_ms();
    const meta = { ...metaAfter(job.authorised.meta, recorded_at_ms, job.attempt, job.authorised.leaf_hash), partition: 0 };
    const event = { meta, kind: 'credential_reissue_requested', detail, principal: job.call.principal, recorded_at_ms };
    this.log
      .append([securityRecord(this.codec, job.call_id, event)])
      .catch((cause) =>
        this.logger.warn(
          { event: 'credential_request_not_recorded', cause: String(cause), call_id: job.call_id },
          'a credential request could not be recorded',
        ),
      );
  }
}
