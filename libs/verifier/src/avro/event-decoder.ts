import type { RecordDecoder } from '../bundle/record-decoder.js';
import { uint32 } from '../bytes/bytes.js';
import { AvroCursor, MalformedAvro } from './avro-cursor.js';
import { type AvroType, parseAvro } from './avro-type.js';
import { readAvro, resolveAvro } from './read-avro.js';

const MAGIC = 0;
const HEADER_BYTES = 5;

/** A version of an event's schema; compatible with EventSchema of `contracts`. */
export interface KnownSchema {
  event_type: string;
  version: number;
  schema: string;
}

interface Writer {
  event_type: string;
  written: AvroType;
  /** Undefined: it is the newest version. */
  newest: AvroType | undefined;
}

/**
 * Decodes events without a library: Avro in the Confluent wire format, in the form of the newest version of their schema. Takes only
 * schemas that the build knows.
 */
export class EventDecoder implements RecordDecoder {
  private readonly writers = new Map<number, Writer>();

  constructor(private readonly known: readonly KnownSchema[]) {}

  addSchema(id: number, text: string): boolean {
    const own = this.known.find(({ schema }) => schema === text);
    if (!own) return false;
    const versions = this.known.filter(({ event_type }) => event_type === own.event_type);
    const newest = versions.reduce((a, b) => (a.version > b.version ? a : b));
    this.writers.set(id, {
      event_type: own.event_type,
      written: parseAvro(text),
      newest: newest === own ? undefined : parseAvro(newest.schema),
    });
    return true;
  }

  decode(value: Uint8Array): { event_type: string; event: unknown } {
    if (value.length < HEADER_BYTES || value[0] !== MAGIC) throw new MalformedAvro('not in the Confluent wire format');
    const writer = this.writers.get(uint32(value, 1));
    if (!writer) throw new MalformedAvro('the schema of a record is not in the bundle');
    const cursor = new AvroCursor(value, HEADER_BYTES);
    const event = readAvro(writer.written, cursor);
    if (!cursor.isAtEnd) throw new MalformedAvro('a value is followed by more bytes');
    return { event_type: writer.event_type, event: writer.newest ? resolveAvro(event, writer.newest) : event };
  }
}
