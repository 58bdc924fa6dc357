import { type AvroCursor, MalformedAvro } from './avro-cursor.js';
import type { AvroField, AvroType } from './avro-type.js';

/** The JSON form of bytes, as Node writes its Buffers: bundles show it so. */
const shownBytes = (bytes: Uint8Array) => ({ type: 'Buffer', data: [...bytes] });

/** Reads a value as its writer wrote it. */
export function readAvro(type: AvroType, cursor: AvroCursor): unknown {
  switch (type.kind) {
    case 'null':
      return null;
    case 'boolean':
      return cursor.byte() !== 0;
    case 'int':
    case 'long':
      return cursor.long();
    case 'double':
      return cursor.double();
    case 'string':
      return cursor.string();
    case 'bytes':
      return shownBytes(cursor.block());
    case 'optional':
      return readOptional(type.of, cursor);
    case 'array':
      return readArray(type.items, cursor);
    case 'enum':
      return symbolAt(type.symbols, cursor.long());
    case 'record':
      return Object.fromEntries(type.fields.map((field) => [field.name, readAvro(field.type, cursor)]));
  }
}

function readOptional(of: AvroType, cursor: AvroCursor): unknown {
  const branch = cursor.long();
  if (branch === 0) return null;
  if (branch !== 1) throw new MalformedAvro('a union has no such branch');
  return readAvro(of, cursor);
}

/** Blocks of items; each item takes at least a byte, so that a hostile count ends with the bytes. */
function readArray(items: AvroType, cursor: AvroCursor): unknown[] {
  const values: unknown[] = [];
  for (let count = cursor.long(); count !== 0; count = cursor.long()) {
    if (count < 0) cursor.long();
    for (let n = Math.abs(count); n > 0; n--) values.push(readAvro(items, cursor));
  }
  return values;
}

function symbolAt(symbols: readonly string[], index: number): string {
  const symbol = symbols[index];
  if (symbol === undefined) throw new MalformedAvro('an enum has no such symbol');
  return symbol;
}

/** A value of one version of a schema in the form of another: fields that it lacks get their defaults, others are left out. */
export function resolveAvro(value: unknown, reader: AvroType): unknown {
  switch (reader.kind) {
    case 'optional':
      return value === null ? null : resolveAvro(value, reader.of);
    case 'array':
      return (value as unknown[]).map((item) => resolveAvro(item, reader.items));
    case 'enum':
      return symbolIn(reader.symbols, reader.default, value as string);
    case 'record':
      return Object.fromEntries(reader.fields.map((field) => [field.name, fieldOf(value as Record<string, unknown>, field)]));
    default:
      return value;
  }
}

function symbolIn(symbols: readonly string[], other: string | undefined, symbol: string): string {
  if (symbols.includes(symbol)) return symbol;
  if (other === undefined) throw new MalformedAvro(`the symbol ${symbol} is unknown`);
  return other;
}

function fieldOf(value: Record<string, unknown>, { name, type, default: other }: AvroField): unknown {
  if (Object.hasOwn(value, name)) return resolveAvro(value[name], type);
  if (!other) throw new MalformedAvro(`a value has no ${name}`);
  return other.value;
}
