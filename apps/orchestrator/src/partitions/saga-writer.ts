import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoint } from '@countersign/contracts';
import type { EventLog, NewRecord } from '@countersign/event-log';
import type { Logger } from '@countersign/process';

const BACKOFF_MS = [20, 50, 100, 250, 500, 1000, 2000];

export type Appended = 'written' | 'interleaved' | 'stopped' | 'unwritable';

/**
 * Appends the records of one partition, one append at a time, again until the log accepts it. An append whose result was lost may stand
 * twice. `interleaved`: other records stand between those of this writer, so that the state in memory may not be that of the log.
 * `unwritable`: the log never accepts one of the records (RangeError, before it writes any of them).
 */
export class SagaWriter {
  private stopped = false;

  constructor(
    private readonly log: EventLog,
    private readonly logger: Pick<Logger, 'warn'>,
    /** The offset after the newest known record. */
    public position: number,
  ) {}

  stop(): void {
    this.stopped = true;
  }

  /** Resolves once the records are durable; `stopped` if the partition was revoked first. */
  async append(records: readonly NewRecord[]): Promise<Appended> {
    for (let attempt = 0; !this.stopped; attempt++) {
      try {
        crashPoint('orchestrator.before_records');
        const offsets = await this.log.append(records);
        crashPoint('orchestrator.after_records');
        return this.written(offsets);
      } catch (cause) {
        if (cause instanceof RangeError) return 'unwritable';
        const partition = records[0]?.partition;
        this.logger.warn(
          { event: 'saga_records_not_written', partition, records: records.length, cause: String(cause) },
          'cannot write the records of sagas to the log; retrying',
        );
        await sleep(BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)], undefined, { ref: false });
      }
    }
    return 'stopped';
  }

  private written(offsets: readonly number[]): 'written' | 'interleaved' {
    const expected = this.position;
    this.position = (offsets.at(-1) ?? expected - 1) + 1;
    return offsets.every((offset, at) => offset === expected + at) ? 'written' : 'interleaved';
  }
}
