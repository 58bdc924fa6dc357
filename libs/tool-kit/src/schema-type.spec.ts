import { expect, test } from 'vitest';
import { defineTool } from './define-tool.js';
import type { TypeOfSchema } from './schema-type.js';
import { testContext } from './test-context.js';

/** True if the two types are equal; otherwise the file does not compile. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const named = {
  name: 'spec_tool',
  version: '1.0.0',
  title: 'A tool',
  description: 'A tool whose types follow.',
  category: 'spec',
  effect_class: 'pure',
} as const;

test('the types of inputs and output are inferred from a JSON Schema, as the compiler shows here', async () => {
  const tool = defineTool({
    ...named,
    input: {
      type: 'object',
      properties: {
        account: { type: 'string' },
        amounts: { type: 'array', items: { type: 'number' } },
        mode: { enum: ['a', 'b'] },
        note: { type: ['string', 'null'] },
        by: { anyOf: [{ type: 'integer' }, { const: 'nobody' }] },
      },
      required: ['account', 'amounts', 'mode'],
    },
    output: { type: 'object', properties: { total: { type: 'number' }, mode: { enum: ['a', 'b'] } }, required: ['total', 'mode'] },
    run: async ({ account, amounts, mode, note, by }) => {
      const text: string = account;
      const either: 'a' | 'b' = mode;
      const maybe: string | null | undefined = note;
      const number: number | 'nobody' | undefined = by;
      const list: Same<typeof amounts, number[]> = true;
      expect([text, maybe, number, list]).toHaveLength(4);
      return { total: amounts.reduce((sum, amount) => sum + amount, 0), mode: either };
    },
    sanity: [{ name: 'sums', severity: 'warn', holds: ({ amounts }, { total }) => amounts.length > 0 || total === 0 }],
  });
  await expect(tool.run({ account: 'a', amounts: [1, 2], mode: 'a' } as never, testContext())).resolves.toEqual({ total: 3, mode: 'a' });
});

test('the inferred type of a schema is exactly its type', () => {
  const object: Same<
    TypeOfSchema<{
      type: 'object';
      properties: { a: { type: 'string' }; b: { oneOf: [{ type: 'null' }, { const: 1 }] } };
      required: ['a'];
    }>,
    { a: string; b?: 1 | null }
  > = true;
  const nothing: Same<TypeOfSchema<{ $ref: '#' }>, unknown> = true;
  const record: Same<TypeOfSchema<{ type: 'object'; additionalProperties: { type: 'boolean' } }>, Record<string, boolean>> = true;
  expect([object, nothing, record]).toEqual([true, true, true]);
});
