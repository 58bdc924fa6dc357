import { type EventCodec, UndecodableRecord } from '@countersign/contracts';
import type { LogRecord } from '../event-log.js';
import type { Recorded } from './event-batch.js';

/** Fetches a schema that this build did not write, so that the codec can read its records. */
export interface SchemaSource {
  /** Teaches the codec; resolves without effect where the registry does not know the id. @throws InfrastructureFault where it is away. */
  learn(schemaId: number): Promise<void>;
}

export interface Decoded {
  events: Recorded[];
  undecodable: { record: LogRecord; cause: UndecodableRecord }[];
}

/** Decodes the records of a batch, each once a process; what is not an event comes back with its cause. */
export class BatchDecoder {
  constructor(
    private readonly codec: EventCodec,
    private readonly schemas: SchemaSource | undefined,
  ) {}

  async decode(records: readonly LogRecord[]): Promise<Decoded> {
    if (this.schemas) await this.learnMissing(records, this.schemas);
    const decoded: Decoded = { events: [], undecodable: [] };
    for (const record of records) {
      try {
        decoded.events.push(this.one(record));
      } catch (cause) {
        if (!(cause instanceof UndecodableRecord)) throw cause;
        decoded.undecodable.push({ record, cause });
      }
    }
    return decoded;
  }

  private one(record: LogRecord): Recorded {
    record.decoded ??= this.read(record);
    return record.decoded as Recorded;
  }

  private read(record: LogRecord): Recorded {
    const tagged = this.codec.decode(record.value);
    return {
      event_type: tagged.event_type,
      event: tagged.event,
      topic: record.topic,
      partition: record.partition,
      offset: record.offset,
      timestamp_ms: record.timestamp_ms,
      traceparent: record.headers.traceparent,
    } as Recorded;
  }

  private async learnMissing(records: readonly LogRecord[], schemas: SchemaSource): Promise<void> {
    for (const record of records) {
      const id = this.codec.schemaId(record.value);
      if (id !== undefined && !this.codec.knows(id)) await schemas.learn(id);
    }
  }
}
