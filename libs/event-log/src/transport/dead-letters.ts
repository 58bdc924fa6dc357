import { type EventCodec, uuidv7 } from '@countersign/contracts';
import type { EventLog, LogRecord } from '../event-log.js';
import type { Recorded } from './event-batch.js';

/** A record that no handler can take: its bytes, and the event where it could be decoded. */
export interface PoisonRecord {
  record: LogRecord;
  event: Recorded | undefined;
}

const VALUE_BYTES_MAX = 256 * 1024;

/** Writes records that nobody can handle to `dead-letter`, with their cause. */
export class DeadLetters {
  constructor(
    private readonly log: EventLog,
    private readonly codec: EventCodec,
    private readonly consumer: string,
    private readonly nowMs: () => number,
  ) {}

  async put({ record, event }: PoisonRecord, cause: unknown): Promise<void> {
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
      },
      source_topic: record.topic,
      source_partition: record.partition,
      source_offset: record.offset,
      consumer: this.consumer,
      cause: causeOf(event, cause).slice(0, 2000),
      value: record.value.subarray(0, VALUE_BYTES_MAX),
      dead_lettered_at_ms: now_ms,
    });
    await this.log.append([
      { topic: 'dead-letter', partition: 0, key: record.key, value, headers: { event_type: 'record_dead_lettered' } },
    ]);
  }
}

/** Of a call whose data is sealed only what kind of fault it was: a message may quote what was opened to handle it. */
function causeOf(event: Recorded | undefined, cause: unknown): string {
  const isSealed = event !== undefined && 'call' in event.event && event.event.call?.sealed != null;
  if (isSealed) return `${cause instanceof Error ? cause.name : 'fault'} (of a sealed call: its words are not kept)`;
  return String(cause instanceof Error ? cause.message : cause);
}
