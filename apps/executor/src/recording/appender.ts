import { isInfrastructureFault } from '@countersign/contracts';
import { type EventLog, type NewRecord, retried, retryPlans } from '@countersign/event-log';
import type { Logger } from '@countersign/process';

/** Appends until the records are durable. A failed append may have written them; a repeat is harmless, because the first record counts. */
export class Appender {
  constructor(
    private readonly log: EventLog,
    private readonly logger: Logger,
  ) {}

  /** The offsets once durable; undefined if `permitted` returned false after a fault. */
  append(records: readonly NewRecord[], permitted: () => Promise<boolean>): Promise<number[] | undefined> {
    return retried(retryPlans.append, async (attempt) => (attempt === 1 || (await permitted()) ? this.log.append(records) : undefined), {
      isRetryable: isInfrastructureFault,
      onFault: (cause, attempt) =>
        this.logger.warn({ event: 'append_failed', attempt, records: records.length, cause: String(cause) }, 'append failed'),
    });
  }
}
