import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { arbitraryInput } from './arbitrary-input.js';
import { jsonSchemaOf } from './json-schema-of.js';

const shapes: Record<string, z.ZodType> = {
  bounds: z.object({ n: z.int().min(3).max(9), x: z.number().gt(0).lt(1), s: z.string().min(2).max(5), big: z.int() }),
  choices: z.object({ kind: z.enum(['a', 'b']), either: z.union([z.string(), z.null(), z.object({ deep: z.boolean() })]) }),
  lists: z.object({
    items: z
      .array(z.object({ id: z.string().regex(/^acct-\d{1,6}$/) }))
      .min(1)
      .max(4),
    tags: z.array(z.string()).optional(),
  }),
};

describe('generated inputs', () => {
  test.each(Object.entries(shapes))('of a schema with %s are valid by that schema', (_name, shape) => {
    const schema = jsonSchemaOf(shape, 'input');
    const valid = new Ajv2020({ strict: false }).compile(schema);
    fc.assert(
      fc.property(arbitraryInput(schema), (value) => valid(value)),
      { numRuns: 200 },
    );
  });

  test('omit optional fields at times', () => {
    const samples = fc.sample(arbitraryInput(jsonSchemaOf(shapes.lists as z.ZodType, 'input')) as fc.Arbitrary<object>, 50);
    expect(samples.some((sample) => 'tags' in sample)).toBe(true);
    expect(samples.some((sample) => !('tags' in sample))).toBe(true);
  });
});
