import { isInfrastructureFault } from '@countersign/contracts';
import type { LogRecord } from '../event-log.js';
import { retried, retryPlans } from '../retries.js';
import type { DeadLetters, PoisonRecord } from './dead-letters.js';
import type { Recorded } from './event-batch.js';

/** The logger for faults. */
export interface FaultSink {
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** The subscription is closing: the next reader gets the batch. */
class StoppedReading extends Error {}

/** Decides how to handle a fault: an infrastructure fault is retried for ever; a record fault is located and the record set aside. */
export class FaultPolicy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly poison: (record: PoisonRecord, cause: unknown) => Promise<void>,
    private readonly sink: FaultSink,
  ) {}

  stop(): void {
    this.stopping.abort();
  }

  /** Repeats the work after infrastructure faults. Other exceptions go to the caller. */
  async persist<T>(where: string, work: () => Promise<T>): Promise<T> {
    const { signal } = this.stopping;
    const warn = (cause: Error, attempt: number): void => {
      if (isInfrastructureFault(cause))
        this.sink.warn(
          { event: 'consumer_paused', where, attempt, cause: String(cause) },
          'paused: the log, the store or the cache is unavailable',
        );
    };
    try {
      return await retried(retryPlans.handler, work, { signal, isRetryable: isInfrastructureFault, onFault: warn });
    } catch (cause) {
      if (signal.aborted && (cause === signal.reason || isInfrastructureFault(cause))) throw new StoppedReading(where, { cause });
      throw cause;
    }
  }

  /** Passes the events to the handler; a batch that fails for another reason is halved until the record is found. */
  async deliver(
    events: readonly Recorded[],
    records: readonly LogRecord[],
    run: (part: readonly Recorded[]) => Promise<void>,
  ): Promise<void> {
    try {
      await this.persist((events[0] as Recorded).topic, () => run(events));
    } catch (cause) {
      if (cause instanceof StoppedReading) throw cause;
      if (events.length > 1) {
        const middle = events.length >> 1;
        await this.deliver(events.slice(0, middle), records, run);
        return this.deliver(events.slice(middle), records, run);
      }
      const event = events[0] as Recorded;
      const record = records.find((candidate) => candidate.offset === event.offset) as LogRecord;
      await this.setAside(record, event, cause);
    }
  }

  async setAside(record: LogRecord, event: Recorded | undefined, cause: unknown): Promise<void> {
    this.sink.error(
      {
        event: 'record_dead_lettered',
        topic: record.topic,
        partition: record.partition,
        offset: record.offset,
        cause: cause instanceof Error ? cause.stack : String(cause),
      },
      'a record was sent to dead-letter',
    );
    await this.persist('dead-letter', () => this.deadLetters.put({ record, event }, cause));
    try {
      await this.persist('poison', () => this.poison({ record, event }, cause));
    } catch (fault) {
      if (fault instanceof StoppedReading) throw fault;
      // The record is dead-lettered and logged: endless retries would block its partition.
      const { topic, partition, offset } = record;
      this.sink.error(
        { event: 'dead_lettered_call_not_ended', topic, partition, offset, cause: String(fault) },
        'the call of a dead-lettered record could not be ended',
      );
    }
  }
}
