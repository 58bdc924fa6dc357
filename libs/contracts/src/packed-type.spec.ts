import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AvroSchema, PackedType, packedSchemas, UnknownPackedSchema } from './packed-type.js';

const schema = (...more: { name: string; type: AvroSchema; default?: unknown }[]): AvroSchema => ({
  type: 'record',
  name: 'kept',
  fields: [
    { name: 'by', type: ['null', 'countersign.principal'], default: null },
    { name: 'notes', type: { type: 'array', items: 'string' } },
    ...more,
  ],
});

const value = { by: { kind: 'agent', id: 'a', roles: ['agent'] }, notes: ['x'] };

describe('packed values', () => {
  test('unpack to the original, whatever their length', () => {
    const type = new PackedType(schema());
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 20_000 }), { maxLength: 8 }), (notes) => {
        expect(type.unpack(type.pack({ ...value, notes }))).toEqual({ ...value, notes });
      }),
    );
  });

  test('an older version is read with the newer schema, and a newer one without unknown fields', () => {
    const older = new PackedType(schema());
    const newer = new PackedType(schema({ name: 'score', type: 'int', default: 7 }));
    expect(newer.id).not.toBe(older.id);
    expect(newer.unpack(older.pack(value))).toEqual({ ...value, score: 7 });
    expect(older.unpack(newer.pack({ ...value, score: 1 }))).toEqual(value);
  });

  test('bytes of an unregistered schema are refused, and read once it is registered', () => {
    const type = new PackedType(schema());
    const packed = type.pack(value);
    packed.writeInt32BE(42, 0);
    expect(packedSchemas.knows(packed)).toBe(false);
    expect(() => type.unpack(packed)).toThrow(UnknownPackedSchema);
    packedSchemas.learn(42, type.text);
    expect(type.unpack(packed)).toEqual(value);
  });

  test('truncated or extended bytes are refused', () => {
    const type = new PackedType(schema());
    const packed = type.pack(value);
    expect(() => type.unpack(packed.subarray(0, packed.length - 1))).toThrow();
    expect(() => type.unpack(Buffer.concat([packed, Buffer.from([0])]))).toThrow();
  });
});
