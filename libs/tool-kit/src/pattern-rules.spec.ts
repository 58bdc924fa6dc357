import { type ToolContract, toolPatterns } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { patternFaults } from './pattern-rules.js';
import { defineClassification } from './patterns/classification.js';
import { defineConversion } from './patterns/conversion.js';
import { defineExtraction } from './patterns/extraction.js';
import { defineLookup } from './patterns/lookup.js';
import { defineValidation } from './patterns/validation.js';
import { testContext } from './test-context.js';

const traits = {
  name: 'spec_tool',
  version: '1.0.0',
  title: 'A tool',
  description: 'A tool of a pattern, for this spec.',
  category: 'spec',
};
const text = z.strictObject({ text: z.string() });
const lookup = defineLookup({
  ...traits,
  scopes: ['a.read'],
  purposes: ['claims'],
  source: z.string(),
  record: text,
  lookUp: async () => ({ record: { text: 'x' }, source_version: '1' }),
});
const faultsOf = (change: Partial<ToolContract>) => patternFaults({ ...lookup.contract, ...change }).join('; ');

describe('a contract with a pattern', () => {
  test('satisfies the pattern if the template made it', () => {
    expect(patternFaults(lookup.contract)).toEqual([]);
  });

  test.each([...toolPatterns].filter((pattern) => pattern !== 'lookup'))(
    'is refused where it is a lookup and says that it is %s',
    (pattern) => {
      expect(faultsOf({ pattern })).toContain(`the pattern ${pattern} `);
    },
  );

  test('is refused with another effect class, without as_of, and without scope or purpose', () => {
    expect(faultsOf({ effect_class: 'commit_low' })).toContain('the pattern lookup requires read_external, not commit_low');
    const { as_of: _, ...others } = lookup.contract.input_schema.properties as Record<string, unknown>;
    expect(faultsOf({ input_schema: { ...lookup.contract.input_schema, properties: others } })).toBe('a lookup requires the input as_of');
    expect(faultsOf({ scopes: [] })).toBe('a lookup must declare scopes and purposes');
    expect(faultsOf({ purposes: [] })).toBe('a lookup must declare scopes and purposes');
  });
});

describe('a template refuses', () => {
  const classify = async () => ({ out_of_distribution: 'never' });
  test.each(['other', 'Unknown', 'default'])('a catch-all band: %s', (band) => {
    expect(() => defineClassification({ ...traits, subject: text, bands: ['small', band], classify })).toThrow('is a catch-all');
  });

  test('two rule packs with the same id and version', () => {
    const pack = { name: 'p', version: '1', rules: [] };
    expect(() => defineValidation({ ...traits, candidate: text, rule_packs: [pack, pack] })).toThrow('the same id and version');
  });

  test('evidence outside of the source is refused', async () => {
    const tool = defineExtraction({
      ...traits,
      hints: z.strictObject({}),
      value: z.string(),
      lineage: { method: 'model', model: 'reader@1' },
      extract: async () => ({ value: 'made up', start: 3, end: 90, confidence: 1 }),
    });
    const source = { source_id: 's', media_type: 'text/plain', content: 'short' };
    await expect(tool.run({ source, hints: {} } as never, testContext())).rejects.toThrow(RangeError);
  });
});

test('a converter returns the same bytes for the same pin, and refuses a unit that the pin does not have', async () => {
  const sources = { 'pin-1': { base: 'EUR', quoted: 'per_base' as const, rates: { USD: '1.1' } } };
  const tool = defineConversion({ ...traits, sources });
  const ask = (to: string) => tool.run({ value: '1', from: 'EUR', to, source: 'pin-1', digits: 2 } as never, testContext());
  expect(JSON.stringify(await ask('USD'))).toBe(JSON.stringify(await ask('USD')));
  await expect(ask('JPY')).rejects.toMatchObject({ code: 'VALIDATION_ERROR', more: { effect: 'none' } });
  await expect(ask('constructor')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
