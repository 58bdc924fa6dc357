import { createHash } from 'node:crypto';
import avro from 'avsc';
import { type EventSchema, eventSchemas } from './generated/schemas.js';

const ID_BYTES = 4;
const SLAB_BYTES = 16 * 1024;
const NAMESPACE = 'countersign.';

/** An Avro schema as JSON: a name (of a primitive or a named type of the event contract), a union, or a definition. */
export type AvroSchema = string | readonly AvroSchema[] | { readonly [attribute: string]: unknown };

/** The bytes were written with an unregistered schema (see `packedSchemas`). */
export class UnknownPackedSchema extends Error {}

/** The schema texts of packed values by id: those of this process, and those that it has learned. */
class PackedSchemas {
  private readonly texts = new Map<number, string>();

  knows(packed: Uint8Array): boolean {
    return this.texts.has(this.idOf(packed));
  }

  /** The schema id at the start of packed bytes: a positive int4. */
  idOf(packed: Uint8Array): number {
    return Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength).readInt32BE(0);
  }

  learn(id: number, text: string): void {
    this.texts.set(id, text);
  }

  textOf(id: number): string | undefined {
    return this.texts.get(id);
  }
}

export const packedSchemas = new PackedSchemas();

/** Definitions of the contract's named types, by full name. */
function namedTypes(schemas: readonly EventSchema[]): Map<string, AvroSchema> {
  const named = new Map<string, AvroSchema>();
  const collect = (schema: unknown): void => {
    if (Array.isArray(schema)) for (const branch of schema) collect(branch);
    else if (typeof schema === 'object' && schema !== null) {
      const { type, name, fields, items } = schema as { type?: unknown; name?: string; fields?: { type: unknown }[]; items?: unknown };
      if (name !== undefined) named.set(NAMESPACE + name, schema as AvroSchema);
      for (const field of fields ?? []) collect(field.type);
      collect(items);
      if (typeof type === 'object') collect(type);
    }
  };
  for (const { schema } of [...schemas].sort((a, b) => a.version - b.version)) collect(JSON.parse(schema));
  return named;
}

/** The schema without docs; each named type is defined at its first use. */
function inlined(schema: unknown, named: ReadonlyMap<string, AvroSchema>, seen: Set<string>): unknown {
  if (typeof schema === 'string') {
    const found = named.get(schema);
    return found === undefined || seen.has(schema) ? schema : inlined(found, named, seen);
  }
  if (Array.isArray(schema)) return schema.map((branch) => inlined(branch, named, seen));
  const { doc: _, ...definition } = schema as Record<string, unknown>;
  if (typeof definition.name === 'string') {
    const full = NAMESPACE + definition.name;
    if (seen.has(full)) return full;
    seen.add(full);
    definition.namespace = 'countersign';
  }
  if (definition.items !== undefined) definition.items = inlined(definition.items, named, seen);
  if (Array.isArray(definition.fields)) {
    definition.fields = definition.fields.map(({ doc: __, ...field }: Record<string, unknown>) => ({
      ...field,
      type: inlined(field.type, named, seen),
    }));
  }
  return definition;
}

/**
 * Packs values for storage outside of the log: the schema id (int4, big endian), then the Avro body. The schema may name types of the event
 * contract, and so changes with them: store `id` and `text` beside the bytes, and call `packedSchemas.learn` with the schema of another
 * version before unpacking. Newer versions read older ones, as for events.
 */
export class PackedType {
  readonly text: string;
  readonly id: number;
  private readonly type: avro.Type;
  private readonly older = new Map<number, { written: avro.Type; resolver: unknown }>();
  private slab = Buffer.allocUnsafeSlow(SLAB_BYTES);

  constructor(schema: AvroSchema, schemas: readonly EventSchema[] = eventSchemas) {
    this.text = JSON.stringify(inlined(schema, namedTypes(schemas), new Set()));
    this.id = createHash('sha256').update(this.text).digest().readInt32BE(0) & 0x7fff_ffff;
    this.type = avro.Type.forSchema(JSON.parse(this.text), { omitRecordMethods: true });
    packedSchemas.learn(this.id, this.text);
  }

  pack(value: unknown): Buffer {
    let end = this.type.encode(value, this.slab, ID_BYTES);
    if (end < 0) {
      this.slab = Buffer.allocUnsafeSlow(this.slab.length - end);
      end = this.type.encode(value, this.slab, ID_BYTES);
    }
    this.slab.writeInt32BE(this.id, 0);
    const packed = Buffer.from(this.slab.subarray(0, end));
    if (this.slab.length > 64 * SLAB_BYTES) this.slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    return packed;
  }

  /** @throws UnknownPackedSchema if its schema was not learned, Error if the bytes are damaged */
  unpack(packed: Buffer): unknown {
    const id = packedSchemas.idOf(packed);
    if (id === this.id) return this.type.fromBuffer(packed.subarray(ID_BYTES));
    const { resolver } = this.older.get(id) ?? this.writtenBy(id);
    return this.type.fromBuffer(packed.subarray(ID_BYTES), resolver as never);
  }

  private writtenBy(id: number): { written: avro.Type; resolver: unknown } {
    const text = packedSchemas.textOf(id);
    if (text === undefined) throw new UnknownPackedSchema(`bytes of schema ${id}, which is not known`);
    const written = avro.Type.forSchema(JSON.parse(text), { omitRecordMethods: true });
    const known = { written, resolver: this.type.createResolver(written) };
    this.older.set(id, known);
    return known;
  }
}
