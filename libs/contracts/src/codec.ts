import avro from 'avsc';
import type { EventMap, EventType, Meta, Tagged } from './generated/events.js';
import { type EventSchema, eventSchemas } from './generated/schemas.js';
import { callStateTopics } from './topics.js';

const MAGIC = 0;
const HEADER_BYTES = 5;
const SLAB_BYTES = 64 * 1024;

/** The bytes are not an event that this build can read. A fault of the record itself: send it to dead-letter. */
export class UndecodableRecord extends Error {
  readonly code = 'UNDECODABLE_RECORD';
}

/** Compiled on first use or by `compileCallTypes`: compiling all types at the start took a tenth of its time. */
class LazyType {
  private compiled: avro.Type | undefined;

  constructor(readonly schema: string) {}

  get(): avro.Type {
    this.compiled ??= avro.Type.forSchema(JSON.parse(this.schema), { omitRecordMethods: true });
    return this.compiled;
  }
}

/** The fields of meta in the first release; later ones were added at its end. */
const FIRST_META_FIELDS = 8;

/** The schema of meta as every release wrote it. */
function firstMetaSchema(event: EventSchema | undefined): string {
  const { fields } = JSON.parse((event ?? (eventSchemas[0] as EventSchema)).schema) as { fields: { type: { fields: unknown[] } }[] };
  const meta = fields[0]?.type as { fields: unknown[] };
  return JSON.stringify({ ...meta, fields: meta.fields.slice(0, FIRST_META_FIELDS) });
}

interface Writer {
  id: number;
  type: LazyType;
}

/** Reads records of one schema id. */
class Reader {
  private resolver: unknown;

  /** @param written the writer's schema, if it is not the newest one */
  constructor(
    readonly event_type: EventType,
    private readonly type: LazyType,
    private readonly written: LazyType | null,
  ) {}

  /** Text of the writer's schema. */
  get schema(): string {
    return (this.written ?? this.type).schema;
  }

  /** The event, and the offset of the bytes after it (negative if bytes are missing). @throws if they are malformed */
  read(value: Buffer): { value: unknown; offset: number } {
    const type = this.type.get();
    if (this.written === null) return type.decode(value, HEADER_BYTES) as { value: unknown; offset: number };
    this.resolver ??= type.createResolver(this.written.get());
    return { value: type.fromBuffer(value.subarray(HEADER_BYTES), this.resolver as never, false), offset: value.length };
  }
}

/**
 * Avro values in the Confluent wire format: byte 0, the schema id (uint32, big endian), the Avro body.
 * Ids come from `schemas/ids.json` unless a registry assigned others (`assignId`). Types are compiled once, on first use. Decoding
 * allocates only the event; encoding writes into a reused slab and returns a copy.
 */
export class EventCodec {
  private readonly writers = new Map<EventType, Writer>();
  private readonly readers = new Map<number, Reader>();
  private slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  private readonly first_meta: LazyType;

  constructor(private readonly schemas: readonly EventSchema[] = eventSchemas) {
    // Newest first: older versions are resolved to it.
    for (const schema of [...schemas].sort((a, b) => b.version - a.version)) this.install(schema, schema.id);
    this.first_meta = new LazyType(firstMetaSchema(schemas[0]));
  }

  /** Compiles the types of the events of calls, one in each step, so that the first call of a process does not wait for it. */
  *compileCallTypes(): Generator<void, void> {
    for (const { topic, event_type } of this.schemas) {
      if (!(callStateTopics as readonly string[]).includes(topic)) continue;
      this.writers.get(event_type)?.type.get();
      yield;
    }
  }

  /** Uses the id that a registry assigned to the newest schema of an event. */
  assignId(eventType: EventType, id: number): void {
    const schema = this.newest(eventType);
    this.install(schema, id);
  }

  /** Makes records readable that were written with another version of a schema (its id and text come from the registry). */
  addWriterSchema(id: number, schemaText: string): void {
    const written = new LazyType(schemaText);
    const { name } = written.get();
    const eventType = (name ?? '').replace(/^countersign\./, '') as EventType;
    const current = this.writers.get(eventType);
    if (!current) throw new UndecodableRecord(`schema ${id} describes ${name}, which this build does not know`);
    current.type.get().createResolver(written.get());
    this.readers.set(id, new Reader(eventType, current.type, written));
  }

  knows(id: number): boolean {
    return this.readers.has(id);
  }

  /** The text of the schema by which records with this id were written. */
  schemaText(id: number): string | undefined {
    return this.readers.get(id)?.schema;
  }

  /** The schema id of a record; undefined if the header is not the Confluent wire format. */
  schemaId(value: Buffer): number | undefined {
    return value.length >= HEADER_BYTES && value[0] === MAGIC ? value.readUInt32BE(1) : undefined;
  }

  encode<T extends EventType>(eventType: T, event: EventMap[T]): Buffer {
    const writer = this.writers.get(eventType);
    if (!writer) throw new Error(`no schema for event ${eventType}: add schemas/<topic>/${eventType}.v1.avsc and run npm run generate`);
    const type = writer.type.get();
    let end = type.encode(event, this.slab, HEADER_BYTES);
    if (end < 0) {
      this.slab = Buffer.allocUnsafeSlow(this.slab.length - end + HEADER_BYTES);
      end = type.encode(event, this.slab, HEADER_BYTES);
    }
    this.slab[0] = MAGIC;
    this.slab.writeUInt32BE(writer.id, 1);
    const copy = Buffer.from(this.slab.subarray(0, end));
    if (this.slab.length > 64 * SLAB_BYTES) this.slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    return copy;
  }

  /** @throws UndecodableRecord if the bytes are not a known event. */
  decode(value: Buffer): Tagged<EventType> {
    const id = this.schemaId(value);
    const reader = id === undefined ? undefined : this.readers.get(id);
    if (!reader) throw new UndecodableRecord(id === undefined ? 'not in the Confluent wire format' : `schema id ${id} is unknown`);
    let decoded: { value: unknown; offset: number };
    try {
      decoded = reader.read(value);
    } catch (cause) {
      throw new UndecodableRecord(`the body of schema id ${id} is malformed`, { cause });
    }
    if (decoded.offset !== value.length)
      throw new UndecodableRecord(`the body of schema id ${id} is ${decoded.offset < 0 ? 'truncated' : 'followed by more bytes'}`);
    return { event_type: reader.event_type, event: decoded.value } as Tagged<EventType>;
  }

  /**
   * The meta of a record whose body is unreadable: it is the first field of every event. Without `cause_hash`, which records of earlier
   * releases do not have. Undefined if the meta is unreadable too.
   */
  readMeta(value: Buffer): Meta | undefined {
    if (this.schemaId(value) === undefined) return undefined;
    try {
      const decoded = this.first_meta.get().decode(value, HEADER_BYTES) as { value: Meta; offset: number };
      return decoded.offset > 0 ? decoded.value : undefined;
    } catch {
      return undefined;
    }
  }

  private newest(eventType: EventType): EventSchema {
    const found = this.schemas.filter((schema) => schema.event_type === eventType).sort((a, b) => b.version - a.version)[0];
    if (!found) throw new Error(`no schema for event ${eventType}`);
    return found;
  }

  private install(schema: EventSchema, id: number): void {
    const type = new LazyType(schema.schema);
    const newest = schema === this.newest(schema.event_type);
    if (newest) this.writers.set(schema.event_type, { id, type });
    const current = this.writers.get(schema.event_type) as Writer;
    this.readers.set(id, new Reader(schema.event_type, current.type, newest ? null : type));
  }
}
