import { type EventCodec, metaAfter } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import type { Clock, Logger } from '@countersign/process';
import type { Job } from '../running/job.js';

/** Tells operators on `security-event` that a credential has to be issued anew. The call's own answer says it too, so a lost one costs little. */
export class ReissueRequests {
  constructor(
    private readonly log: EventLog,
    private readonly codec: EventCodec,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  ask(job: Job, detail: string): void {
    const recorded_at_ms = this.clock.now_ms();
    const meta = { ...metaAfter(job.authorised.meta, recorded_at_ms), partition: 0 };
    const event = { meta, kind: 'credential_reissue_requested', detail, principal: job.call.principal, recorded_at_ms, times: 1 };
    const value = this.codec.encode('security_event_recorded', event);
    const headers = { event_type: 'security_event_recorded' };
    this.log
      .append([{ topic: 'security-event', partition: 0, key: job.call_id, value, headers }])
      .catch((cause) => this.logger.warn({ cause: String(cause), call_id: job.call_id }, 'a request for a credential was not recorded'));
  }
}
