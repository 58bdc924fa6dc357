import { type EventCodec, type EventMap, leafHashText, uuidv7 } from '@countersign/contracts';
import type { EventLog, LogRecord } from '../event-log.js';
import type { Recorded } from './event-batch.js';

/** A record that no handler can process: its bytes, and the event if it could be decoded. */
export interface PoisonRecord {
  record: LogRecord;
  event: Recorded | undefined;
}

const TOPIC = 'dead-letter';
const VALUE_BYTES_MAX = 256 * 1024;
const READ_RECORDS = 100;

const placeOf = (topic: string, partition: number, offset: number): string => `${topic}/${partition}/${offset}`;

/**
 * Writes records that cannot be handled to `dead-letter`, with their cause: each once for a consumer, even if it is read again because an
 * offset or a database was lost. A partition has one reader for each consumer, so no other process writes at the same time.
 */
export class DeadLetters {
  private readonly known = new Set<string>();
  private next = 0;

  constructor(
    private readonly log: EventLog,
    private readonly codec: EventCodec,
    private readonly consumer: string,
    private readonly nowMs: () => number,
  ) {}

  async put({ record, event }: PoisonRecord, cause: unknown): Promise<void> {
    await this.catchUp();
    if (this.known.has(placeOf(record.topic, record.partition, record.offset))) return;
    await this.write({ record, event }, cause);
  }

  /** Reads earlier dead letters at the first record that is set aside, and then only new ones. */
  private async catchUp(): Promise<void> {
    const head = await this.log.head(TOPIC, 0);
    this.next = Math.max(this.next, await this.log.first(TOPIC, 0));
    while (this.next < head) {
      const letters = await this.log.read(TOPIC, 0, this.next, READ_RECORDS);
      if (letters.length === 0) return;
      for (const letter of letters) this.note(letter);
      this.next = (letters.at(-1) as LogRecord).offset + 1;
    }
  }

  private note(letter: LogRecord): void {
    let event: EventMap['record_dead_lettered'];
    try {
      ({ event } = this.codec.decode(letter.value) as { event: EventMap['record_dead_lettered'] });
    } catch {
      return; // it is not a dead letter of this platform
    }
    if (event.consumer === this.consumer) this.known.add(placeOf(event.source_topic, event.source_partition, event.source_offset));
  }

  private async write({ record, event }: PoisonRecord, cause: unknown): Promise<void> {
    const now_ms = this.nowMs();
    const meta = event?.event.meta;
    const value = this.codec.encode('record_dead_lettered', {
      meta: {
        event_id: uuidv7(now_ms),
        tenant_id: meta?.tenant_id ?? '',
        call_id: meta?.call_id ?? null,
        attempt: meta?.attempt ?? 0,
        causation_id: meta?.event_id ?? null,
        correlation_id: meta?.correlation_id ?? '',
        hlc: now_ms * 1000,
        partition: 0,
        cause_hash: meta ? leafHashText(record) : null,
      },
      source_topic: record.topic,
      source_partition: record.partition,
      source_offset: record.offset,
      consumer: this.consumer,
      cause: causeOf(event, cause).slice(0, 2000),
      value: record.value.subarray(0, VALUE_BYTES_MAX),
      dead_lettered_at_ms: now_ms,
    });
    await this.log.append([{ topic: TOPIC, partition: 0, key: record.key, value, headers: { event_type: 'record_dead_lettered' } }]);
  }
}

/** For a call with sealed data only the kind of fault: a message may quote data that was decrypted to handle it. */
function causeOf(event: Recorded | undefined, cause: unknown): string {
  const isSealed = event !== undefined && 'call' in event.event && event.event.call?.sealed != null;
  if (isSealed) return `${cause instanceof Error ? cause.name : 'fault'} (message withheld: the call has personal data)`;
  return String(cause instanceof Error ? cause.message : cause);
}
