import { expect, test } from '@jest/globals';
import { defineTool } from './define-tool.js';
import { testContext } from './test-context.js';

const named = {
  name: 'spec_tool',
  version: '1.0.0',
  title: 'A tool',
  description: 'A tool whose types follow.',
  category: 'spec',
  effect_class: 'pure',
} as const;

test('the types of inputs and output follow from a JSON Schema, as the compiler shows here', async () => {
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
      // @ts-expect-error a list of numbers is no text
      const wrong: string = amounts;
      expect([text, maybe, number, wrong]).toHaveLength(4);
      return { total: amounts.reduce((sum, amount) => sum + amount, 0), mode: either };
    },
    sanity: [{ name: 'sums', severity: 'warn', holds: ({ amounts }, { total }) => amounts.length > 0 || total === 0 }],
  });
  await expect(tool.run({ account: 'a', amounts: [1, 2], mode: 'a' } as never, testContext())).resolves.toEqual({ total: 3, mode: 'a' });
});

test('an output of another type does not compile', () => {
  const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] } as const;
  // @ts-expect-error total is a number
  const tool = defineTool({ ...named, input: schema, output: schema, run: async () => ({ total: 'three' }) });
  expect(tool.contract.name).toBe('spec_tool');
});
