import type { JsonSchema } from '@countersign/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SchemaContainment } from './schema-containment.js';

const scalar = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom('', 'a', 'ab', 'abc', null, true, 1.5));
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), { maxKeys: 3 }),
  ),
})).node;

const some = (entries: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonSchema> =>
  fc.record(entries, { requiredKeys: [] }) as fc.Arbitrary<JsonSchema>;
const schema: fc.Arbitrary<JsonSchema> = fc.letrec<{ node: JsonSchema }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    some({ type: fc.constantFrom('string', ['string', 'null'], ['integer', 'string']), minLength: fc.nat(2), maxLength: fc.nat(3) }),
    some({
      type: fc.constantFrom('number', 'integer'),
      minimum: fc.nat(3),
      maximum: fc.nat(9),
      exclusiveMaximum: fc.nat(9),
      multipleOf: fc.integer({ min: 1, max: 4 }),
    }),
    some({ enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }), type: fc.constantFrom('string', 'integer') }),
    some({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), { maxKeys: 2 }),
      required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('node')),
      maxProperties: fc.nat(3),
    }),
    some({
      type: fc.constant('array'),
      items: tie('node'),
      minItems: fc.nat(1),
      maxItems: fc.nat(3),
      prefixItems: fc.array(tie('node'), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('node'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie('node'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('node') }),
  ),
})).node;

const ajv = new Ajv2020({ strict: false });

test('an outer schema that contains an inner one accepts every value of it (checked by ajv)', () => {
  let contained = 0;
  fc.assert(
    fc.property(schema, schema, fc.array(value, { minLength: 20, maxLength: 20 }), (inner, outer, values) => {
      if (new SchemaContainment({ newer: 'outer', tolerant: false }).differences(inner, outer).length > 0) return;
      contained++;
      const [narrow, wide] = [ajv.compile(inner), ajv.compile(outer)];
      for (const each of values) if (narrow(each)) expect([each, wide(each)]).toEqual([each, true]);
    }),
    { numRuns: 3000 },
  );
  expect(contained).toBeGreaterThan(100);
});

test('every schema contains itself, and is contained in a copy with one loosened keyword', () => {
  const rules = { newer: 'outer', tolerant: false } as const;
  fc.assert(
    fc.property(schema, (one) => {
      expect(new SchemaContainment(rules).differences(one, one)).toEqual([]);
      expect(new SchemaContainment(rules).differences(one, {})).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
