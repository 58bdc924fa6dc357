import { type EventCodec, UndecodableRecord } from '@countersign/contracts';
import type { LogRecord } from '../event-log.js';
import type { Recorded } from './event-batch.js';
import { ReadRecord } from './read-record.js';

/** Fetches schemas that are not part of this build, so that the codec can read their records. */
export interface SchemaSource {
  /**
   * Adds the schema to the codec; resolves without effect if the registry does not know the id. @throws InfrastructureFault if it is
   * unavailable.
   */
  learn(schemaId: number): Promise<void>;
  /**
   * The fingerprint of an Avro schema: equal for schemas that encode alike. Undefined if the registry does not know the id, or it is no
   * Avro schema. @throws InfrastructureFault if the registry is unavailable.
   */
  fingerprint(schemaId: number): Promise<string | undefined>;
  /** Registers an Avro schema, unless it is registered. @throws InfrastructureFault if the registry is unavailable or refuses it. */
  publish(subject: string, schema: string): Promise<number>;
}

export interface Decoded {
  events: Recorded[];
  undecodable: { record: LogRecord; cause: UndecodableRecord }[];
}

/** Decodes the records of a batch, each once in a process; returns a cause for a record that is not an event. */
export class BatchDecoder {
  constructor(
    private readonly codec: EventCodec,
    private readonly schemas: SchemaSource | undefined,
  ) {}

  /** Fetches the schemas that the codec lacks for these records, so that each record can then be decoded separately. */
  async learn(records: readonly LogRecord[]): Promise<void> {
    if (this.schemas) await this.learnMissing(records, this.schemas);
  }

  /**
   * Decodes one record whose schema is known (`learn`), for a single read: the log may retain the record for long, so the event, which is
   * many times its size, is not cached on it. Undefined if it is no event.
   */
  once(record: LogRecord): Recorded | undefined {
    if (record.decoded !== undefined) return record.decoded as Recorded;
    try {
      return this.read(record);
    } catch (cause) {
      if (cause instanceof UndecodableRecord) return undefined;
      throw cause;
    }
  }

  async decode(records: readonly LogRecord[]): Promise<Decoded> {
    await this.learn(records);
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
    return new ReadRecord(this.codec.decode(record.value), record) as Recorded;
  }

  private async learnMissing(records: readonly LogRecord[], schemas: SchemaSource): Promise<void> {
    for (const record of records) {
      const id = this.codec.schemaId(record.value);
      if (id !== undefined && !this.codec.knows(id)) await schemas.learn(id);
    }
  }
}
