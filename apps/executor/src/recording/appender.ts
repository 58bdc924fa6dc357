import { setTimeout as sleep } from 'node:timers/promises';
import { isInfrastructureFault } from '@countersign/contracts';
import type { EventLog, NewRecord } from '@countersign/event-log';
import type { Logger } from '@countersign/process';

const BACKOFF_MS = [20, 50, 100, 250, 500, 1000];

/** Appends until the records are there. What an append with an error left behind is unknown, and a repeat of it harms nobody: first wins. */
export class Appender {
  constructor(
    private readonly log: EventLog,
    private readonly logger: Logger,
  ) {}

  /** The offsets once durable; undefined where `permitted` said no after a fault. */
  async append(records: readonly NewRecord[], permitted: () => Promise<boolean>): Promise<number[] | undefined> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.log.append(records);
      } catch (error) {
        if (!isInfrastructureFault(error)) throw error;
        this.logger.warn({ attempt, records: records.length, cause: String(error) }, 'append failed; tried again');
        await sleep(BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)] as number);
        if (!(await permitted())) return undefined;
      }
    }
  }
}
