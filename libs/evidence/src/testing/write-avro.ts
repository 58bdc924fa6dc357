import type { AvroType } from '@countersign/verifier/avro/avro-type';

function long(value: number): Buffer {
  const bytes: number[] = [];
  let rest = (BigInt(value) << 1n) ^ (BigInt(value) >> 63n);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([long(bytes.length), bytes]);
}

/** The binary form of a value, for the types that the schemas of test vectors use. */
export function writeAvro(type: AvroType, value: unknown): Buffer {
  switch (type.kind) {
    case 'int':
    case 'long':
      return long(value as number);
    case 'string':
      return string(value as string);
    case 'optional':
      return value === null ? long(0) : Buffer.concat([long(1), writeAvro(type.of, value)]);
    case 'record':
      return Buffer.concat(type.fields.map(({ name, type: of }) => writeAvro(of, (value as Record<string, unknown>)[name])));
    default:
      throw new RangeError(`no vector has a value of the type ${type.kind}`);
  }
}
