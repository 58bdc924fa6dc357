import type { EventCodec, EventMap } from '@countersign/contracts';
import type { EventLog, LogRecord } from '@countersign/event-log';

type DeadLettered = EventMap['record_dead_lettered'];

/** A record that no handler could process, without its bytes. */
export interface DeadLetter {
  /** The event that set the record aside. */
  letter_id: string;
  /** Its offset on the topic `dead-letter`. */
  letter_offset: number;
  /** Empty if the record could not be decoded. */
  tenant_id: string;
  call_id: string | null;
  event_id: string | null;
  topic: string;
  partition: number;
  offset: number;
  consumer: string;
  cause: string;
  value_bytes: number;
  dead_lettered_at_ms: number;
}

export interface ViewBounds {
  /** Maximum of the newest records of the topic that are read. */
  records_max: number;
  /** Maximum of the newest dead letters kept for each tenant. */
  per_tenant_max: number;
}

const TOPIC = 'dead-letter';
const BATCH_RECORDS = 20;
const BOUNDS: ViewBounds = { records_max: 5_000, per_tenant_max: 200 };

const letterOf = (letter_offset: number, event: DeadLettered): DeadLetter => ({
  letter_id: event.meta.event_id,
  letter_offset,
  tenant_id: event.meta.tenant_id,
  call_id: event.meta.call_id,
  event_id: event.meta.causation_id,
  topic: event.source_topic,
  partition: event.source_partition,
  offset: event.source_offset,
  consumer: event.consumer,
  cause: event.cause,
  value_bytes: event.value.length,
  dead_lettered_at_ms: event.dead_lettered_at_ms,
});

/** The newest dead letters of each tenant, in memory: read from the log on request, each record once. */
export class DeadLetterView {
  private readonly by_tenant = new Map<string, DeadLetter[]>();
  private next = 0;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly log: Pick<EventLog, 'head' | 'first' | 'read'>,
    private readonly codec: Pick<EventCodec, 'decode'>,
    private readonly bounds: ViewBounds = BOUNDS,
  ) {}

  /** Dead letters of a tenant, newest first. @throws InfrastructureFault if the log is unavailable. */
  async of(tenant_id: string): Promise<readonly DeadLetter[]> {
    await this.caughtUp();
    return this.by_tenant.get(tenant_id) ?? [];
  }

  /** Concurrent requests share one read. A request that finds a read in progress waits for it and then reads once more. */
  private async caughtUp(): Promise<void> {
    await this.reading?.catch(() => undefined);
    this.reading ??= this.catchUp().finally(() => {
      this.reading = undefined;
    });
    await this.reading;
  }

  private async catchUp(): Promise<void> {
    const head = await this.log.head(TOPIC, 0);
    this.next = Math.max(this.next, await this.log.first(TOPIC, 0), head - this.bounds.records_max);
    while (this.next < head) {
      const records = await this.log.read(TOPIC, 0, this.next, BATCH_RECORDS);
      if (records.length === 0) return;
      for (const record of records) this.note(record);
      this.next = (records.at(-1) as LogRecord).offset + 1;
    }
  }

  private note({ offset, value }: LogRecord): void {
    const event = this.decoded(value);
    if (!event) return;
    const letter = letterOf(offset, event);
    const known = this.by_tenant.get(letter.tenant_id) ?? [];
    this.by_tenant.set(letter.tenant_id, [letter, ...known].slice(0, this.bounds.per_tenant_max));
  }

  /** Undefined if the record is not a dead letter: skipped, as every other reader does. */
  private decoded(value: Buffer): DeadLettered | undefined {
    try {
      const { event_type, event } = this.codec.decode(value);
      return event_type === 'record_dead_lettered' ? (event as DeadLettered) : undefined;
    } catch {
      return undefined;
    }
  }
}
