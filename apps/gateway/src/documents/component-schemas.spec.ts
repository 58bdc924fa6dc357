import { expect, test } from 'vitest';
import { z } from 'zod';
import { componentSchemas } from './component-schemas.js';

const leaf = z.object({ a: z.string() }).meta({ id: 'Leaf' });

test('named schemas become components, including the outermost, with or without nested ones', () => {
  expect(componentSchemas(leaf, 'output')).toMatchObject({
    schema: { $ref: '#/components/schemas/Leaf' },
    components: { Leaf: { type: 'object' } },
  });
  const { schema, components } = componentSchemas(z.object({ items: z.array(leaf) }).meta({ id: 'Leaves' }), 'output');
  expect(schema).toEqual({ $ref: '#/components/schemas/Leaves' });
  expect(components).toMatchObject({ Leaves: { properties: { items: { items: { $ref: '#/components/schemas/Leaf' } } } }, Leaf: {} });
  expect(JSON.stringify(components)).not.toContain('"id"');
});

test('a schema without a name stays in place, with references to named ones', () => {
  const { schema, components } = componentSchemas(z.object({ leaf }), 'output');
  expect(schema).toMatchObject({ type: 'object', properties: { leaf: { $ref: '#/components/schemas/Leaf' } } });
  expect(Object.keys(components)).toEqual(['Leaf']);
});

test('a recursive schema without a name gets one from its content', () => {
  const tree: z.ZodType = z.lazy(() => z.object({ under: z.array(tree) }));
  const { schema, components } = componentSchemas(z.object({ tree }), 'input');
  const [name = ''] = Object.keys(components);
  expect(name).toMatch(/^Recursive_[0-9a-f]{8}$/);
  expect(JSON.stringify([schema, components])).not.toContain('$defs');
  expect(JSON.stringify(components)).toContain(`#/components/schemas/${name}`);
});

test('any JSON value is {}, and a tuple states its length', () => {
  const { schema, components } = componentSchemas(
    z.object({
      any: z.record(z.string(), z.json()),
      pair: z.tuple([z.int(), z.string()]),
      more: z.tuple([z.int(), z.string().optional()]),
    }),
    'input',
  );
  expect(components).toEqual({});
  expect(schema.properties).toMatchObject({
    any: { additionalProperties: {} },
    pair: { minItems: 2, maxItems: 2 },
    more: { minItems: 1, maxItems: 2 },
  });
  expect(JSON.stringify(schema)).not.toContain('"items":false');
});
