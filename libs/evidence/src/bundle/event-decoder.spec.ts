import { EventCodec, eventSchemas } from '@countersign/contracts';
import { EventDecoder, plain } from '@countersign/verifier';
import { type AvroType, parseAvro } from '@countersign/verifier/avro/avro-type';
import avro from 'avsc';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CodecDecoder } from './codec-decoder.js';

const text = fc.string({ unit: 'binary', maxLength: 12 });
/** avsc refuses the outermost safe integers. */
const LONG_MAX = Number.MAX_SAFE_INTEGER - 1;
const long = fc.oneof(
  fc.integer(),
  fc.integer({ min: -LONG_MAX, max: LONG_MAX }),
  fc.constantFrom(0, -1, 63, 64, 8191, 8192, 2 ** 31, -(2 ** 31)),
);

/** Any value of a type. */
function arbitraryOf(type: AvroType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'int':
      return fc.integer();
    case 'long':
      return long;
    case 'double':
      return fc.double();
    case 'string':
      return text;
    case 'bytes':
      return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));
    case 'optional':
      return fc.option(arbitraryOf(type.of));
    case 'array':
      return fc.array(arbitraryOf(type.items), { maxLength: 3 });
    case 'enum':
      return fc.constantFrom(...type.symbols);
    case 'record':
      return fc.record(Object.fromEntries(type.fields.map(({ name, type: of }) => [name, arbitraryOf(of)])));
  }
}

/** A record's value as the log has it: written with exactly this schema, under an id of its own. */
function written(type: avro.Type, id: number, event: unknown): Buffer {
  const body = type.toBuffer(event);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(id, 1);
  return Buffer.concat([header, body]);
}

const typeOf = (schema: string): avro.Type => avro.Type.forSchema(JSON.parse(schema), { omitRecordMethods: true });

const ID = 70_000;

describe('the decoder of the browser', () => {
  test.each(eventSchemas.map((one) => [`${one.event_type} ${one.version}`, one] as const))(
    'reads %s as the codec of the log does',
    (_, { schema }) => {
      const [own, log] = [new EventDecoder(eventSchemas), new CodecDecoder()];
      expect([own.addSchema(ID, schema), log.addSchema(ID, schema)]).toEqual([true, true]);
      const type = typeOf(schema);
      fc.assert(
        fc.property(arbitraryOf(parseAvro(schema)), (event) => {
          const value = written(type, ID, event);
          const [ours, theirs] = [own.decode(value), log.decode(value)];
          expect(ours.event_type).toBe(theirs.event_type);
          expect(plain(ours.event)).toEqual(plain(theirs.event));
        }),
        { numRuns: 8 },
      );
    },
  );

  test('refuses what is cut, followed by more, of an unknown schema, or without its header', () => {
    const codec = new EventCodec();
    const { schema } = eventSchemas.find(({ event_type }) => event_type === 'approval_viewed') as (typeof eventSchemas)[number];
    const decoder = new EventDecoder(eventSchemas);
    decoder.addSchema(ID, schema);
    const type = typeOf(schema);
    const [event] = fc.sample(arbitraryOf(parseAvro(schema)), 1);
    const value = written(type, ID, event);
    expect(decoder.decode(value).event_type).toBe('approval_viewed');
    for (let length = 0; length < value.length; length++) expect(() => decoder.decode(value.subarray(0, length))).toThrow(RangeError);
    expect(() => decoder.decode(Buffer.concat([value, Buffer.of(0)]))).toThrow('more bytes');
    expect(() => decoder.decode(written(type, ID + 1, event))).toThrow('not in the bundle');
    expect(decoder.addSchema(ID, `${schema} `)).toBe(false);
    expect(codec.knows(ID)).toBe(false);
  });

  test('ends on hostile bytes: lengths and counts are bounded by what is there', () => {
    const { schema } = eventSchemas.find(({ event_type }) => event_type === 'policy_decided') as (typeof eventSchemas)[number];
    const decoder = new EventDecoder(eventSchemas);
    decoder.addSchema(ID, schema);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const header = Buffer.alloc(5);
        header.writeUInt32BE(ID, 1);
        try {
          decoder.decode(Buffer.concat([header, bytes]));
        } catch (cause) {
          expect(cause).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
