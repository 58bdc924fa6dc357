import { callTopics, laneTopic, parseCallId } from '@countersign/contracts';
import { BatchDecoder, type EventLog, type LogRecord, type Recorded } from '@countersign/event-log';
import type { AppDeps } from '@countersign/process';

/** A record with its decoded event. */
export interface FoundRecord {
  record: LogRecord;
  event: Recorded;
}

/** Where to search the records of some calls of one partition: log times from the first request to the last end. */
export interface Stretch {
  lane: string;
  partition: number;
  from_ms: number;
  /** Undefined: to the end of the log. */
  until_ms: number | undefined;
}

const AT_ONCE = 500;
/** Maximum clock difference between gateway and log. */
export const SKEW_MS = 60_000;
/** Late votes, cancellations and results can follow the end. */
export const LATE_MS = 300_000;

/** Finds the records of calls in the log: first by append time, then by a scan. */
export class RecordsOfCalls {
  private readonly decoder: BatchDecoder;

  constructor(private readonly parts: Pick<AppDeps, 'log' | 'codec' | 'schemas'>) {
    this.decoder = new BatchDecoder(parts.codec, parts.schemas);
  }

  private get log(): EventLog {
    return this.parts.log;
  }

  /** The records of these calls of one partition: by topic, in offset order. */
  async find(call_ids: ReadonlySet<string>, stretch: Stretch): Promise<FoundRecord[]> {
    const topics = callTopics.map((topic) => laneTopic(topic, stretch.lane));
    const found = await Promise.all(topics.map((topic) => this.inTopic(topic, call_ids, stretch)));
    return found.flat();
  }

  private async inTopic(topic: string, call_ids: ReadonlySet<string>, { partition, from_ms, until_ms }: Stretch): Promise<FoundRecord[]> {
    const found: FoundRecord[] = [];
    const end = until_ms === undefined ? Number.POSITIVE_INFINITY : until_ms + LATE_MS;
    for (let offset = await this.log.since(topic, partition, from_ms - SKEW_MS); ; ) {
      const records = await this.log.read(topic, partition, offset, AT_ONCE);
      if (records.length === 0) return found;
      const { events } = await this.decoder.decode(records);
      for (const event of events) {
        const { call_id } = event.event.meta;
        const record = call_id !== null && call_ids.has(call_id) ? records[event.offset - offset] : undefined;
        if (record) found.push({ record, event });
      }
      const last = records.at(-1) as LogRecord;
      if (last.timestamp_ms > end) return found;
      offset = last.offset + 1;
    }
  }

  /** All records of one partition below an offset. For small topics only. */
  async *below(topic: string, partition: number, end: number): AsyncGenerator<FoundRecord> {
    for (let offset = await this.log.first(topic, partition); offset < end; ) {
      const records = await this.log.read(topic, partition, offset, AT_ONCE);
      if (records.length === 0) return;
      const { events } = await this.decoder.decode(records);
      for (const event of events) {
        const record = records[event.offset - offset];
        if (record && event.offset < end) yield { record, event };
      }
      offset += records.length;
    }
  }
}

/** The partition of the records of a call. */
export const partitionOfCall = (call_id: string): number => parseCallId(call_id)?.partition ?? 0;
