import type { JsonSchema, ResourceTemplate, ToolContract } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { parseSemver, type Semver } from '../versions/semver.js';
import { breakingDifferences, type Step, stepBetween } from './contract-changes.js';

const object = (properties: JsonSchema, required: string[] = [], more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
  ...more,
});
const contract = (input: JsonSchema, output: JsonSchema = object({}), more: Partial<ToolContract> = {}): ToolContract =>
  ({
    name: 'pay',
    version: '1.0.0',
    effect_class: 'commit_low',
    idempotency: { except: [] },
    input_schema: input,
    output_schema: output,
    ...more,
  }) as ToolContract;

const inputs = (older: JsonSchema, newer: JsonSchema, step: Step = 'minor') =>
  breakingDifferences(contract(older), contract(newer), step).map(({ pointer }) => pointer);
const outputs = (older: JsonSchema, newer: JsonSchema) =>
  breakingDifferences(contract(object({}), older), contract(object({}), newer), 'minor').map(({ pointer }) => pointer);

const amount = { type: 'number', minimum: 0, maximum: 100 };
const text = { type: 'string' };

test('a patch that changes a schema is refused, except for changes of annotations', () => {
  expect(inputs(object({ amount }), object({ amount: { ...amount, maximum: 200 } }), 'patch')).toEqual([
    '/input_schema/properties/amount/maximum',
  ]);
  expect(inputs(object({ amount }), object({ amount, note: text }), 'patch')).toEqual(['/input_schema/properties/note']);
  expect(inputs(object({ amount }), object({ amount: { ...amount, description: 'in euro', title: 'Amount' } }), 'patch')).toEqual([]);
  expect(inputs(object({ a: text, b: text }, ['a', 'b']), object({ b: text, a: text }, ['b', 'a']), 'patch')).toEqual([]);
});

test('a property named like an annotation counts as a property', () => {
  expect(inputs(object({ title: text }), object({ title: amount }), 'patch')).toEqual(['/input_schema/properties/title/type']);
  expect(inputs(object({ title: text }), object({ title: { type: 'integer' } }))).toEqual(['/input_schema/properties/title/type']);
});

test.each<[string, JsonSchema, JsonSchema]>([
  ['a new optional field', object({ amount }), object({ amount, note: text })],
  ['a wider limit', object({ amount }), object({ amount: { ...amount, maximum: 1000 } })],
  ['a removed limit', object({ amount }), object({ amount: { type: 'number' } })],
  ['integers become numbers', object({ n: { type: 'integer' } }), object({ n: { type: 'number' } })],
  ['one more value', object({ c: { enum: ['EUR'] } }), object({ c: { enum: ['USD', 'EUR'] } })],
  ['any text where there were values', object({ c: { type: 'string', enum: ['EUR'] } }), object({ c: text })],
  ['null is possible now', object({ c: text }), object({ c: { anyOf: [text, { type: 'null' }] } })],
  ['null by a list of types', object({ c: text }), object({ c: { type: ['string', 'null'] } })],
  ['a list of types as alternatives', object({ c: { type: ['string', 'null'] } }), object({ c: { anyOf: [text, { type: 'null' }] } })],
  ['a field that is no longer required', object({ a: text }, ['a']), object({ a: text })],
  ['open where it was closed', object({ a: text }), object({ a: text }, [], { additionalProperties: true })],
  [
    'longer lists of wider items',
    object({ l: { type: 'array', maxItems: 3, items: amount } }),
    object({ l: { type: 'array', maxItems: 9, items: { type: 'number' } } }),
  ],
  ['the same by a reference', object({ a: amount }), object({ a: { $ref: '#/$defs/Amount' } }, [], { $defs: { Amount: amount } })],
  ['a multiple of a divisor', object({ n: { type: 'integer', multipleOf: 10 } }), object({ n: { type: 'integer', multipleOf: 5 } })],
  ['values that keep a new limit', object({ n: { enum: [1, 2] } }), object({ n: { type: 'integer', minimum: 1 } })],
  [
    'one more alternative, distinguished by a constant',
    object({ p: { oneOf: [object({ kind: { const: 'a' } }, ['kind'])] } }),
    object({ p: { oneOf: [object({ kind: { const: 'b' } }, ['kind']), object({ kind: { const: 'a' }, x: text }, ['kind'])] } }),
  ],
])('a minor may widen inputs: %s', (_title, older, newer) => {
  expect(inputs(older, newer)).toEqual([]);
  expect(inputs(older, newer, 'patch')).not.toEqual([]);
});

test.each<[string, JsonSchema, JsonSchema, string]>([
  ['a new required field', object({ a: text }), object({ a: text, b: text }, ['b']), '/input_schema/required'],
  ['a field becomes required', object({ a: text }), object({ a: text }, ['a']), '/input_schema/required'],
  ['a removed field', object({ a: text, 'b/c': text }), object({ a: text }), '/input_schema/properties/b~1c'],
  ['another type', object({ a: text }), object({ a: amount }), '/input_schema/properties/a/type'],
  ['numbers become integers', object({ a: { type: 'number' } }), object({ a: { type: 'integer' } }), '/input_schema/properties/a/type'],
  ['a tighter limit', object({ amount }), object({ amount: { ...amount, maximum: 99 } }), '/input_schema/properties/amount/maximum'],
  ['a new limit', object({ a: text }), object({ a: { type: 'string', minLength: 1 } }), '/input_schema/properties/a/minLength'],
  ['one value less', object({ c: { enum: ['EUR', 'USD'] } }), object({ c: { enum: ['EUR'] } }), '/input_schema/properties/c/enum'],
  ['values where any text was possible', object({ c: text }), object({ c: { enum: ['EUR'] } }), '/input_schema/properties/c/enum'],
  [
    'another pattern',
    object({ a: { ...text, pattern: '^a' } }),
    object({ a: { ...text, pattern: '^(a|b)' } }),
    '/input_schema/properties/a/pattern',
  ],
  ['closed where it was open', object({}, [], { additionalProperties: true }), object({}), '/input_schema/additionalProperties'],
  [
    'a typed field where any value was allowed',
    { type: 'object' },
    { type: 'object', properties: { a: text } },
    '/input_schema/properties/a/type',
  ],
  [
    'null is no longer possible',
    object({ c: { anyOf: [text, { type: 'null' }] } }),
    object({ c: text }),
    '/input_schema/properties/c/type',
  ],
  [
    'inside a list',
    object({ l: { type: 'array', items: object({ a: text }) } }),
    object({ l: { type: 'array', items: object({ a: amount }) } }),
    '/input_schema/properties/l/items/properties/a/type',
  ],
  [
    'inside a definition',
    object({ a: { $ref: '#/$defs/A' } }, [], { $defs: { A: text } }),
    object({ a: { $ref: '#/$defs/A' } }, [], { $defs: { A: amount } }),
    '/input_schema/$defs/A/type',
  ],
  [
    'alternatives that may overlap',
    object({ a: text }),
    object({ a: { oneOf: [text, { minLength: 1 }] } }),
    '/input_schema/properties/a/oneOf',
  ],
  ['a reference to nowhere', object({ a: text }), object({ a: { $ref: 'https://example.com/a' } }), '/input_schema/properties/a'],
  [
    'a condition that is new',
    object({ a: text }),
    object({ a: text }, [], { if: { required: ['a'] }, else: { required: ['b'] } }),
    '/input_schema/if',
  ],
])('a minor that breaks inputs is refused with the place: %s', (_title, older, newer, pointer) => {
  expect(inputs(older, newer)).toContain(pointer);
  expect(breakingDifferences(contract(older), contract(newer), 'major')).toEqual([]);
});

test('outputs may gain fields; no field may be removed, become optional or accept other values', () => {
  const older = object({ id: text, state: { enum: ['open', 'done'] }, note: text }, ['id', 'state']);
  const at = (newer: JsonSchema) => outputs(older, newer);
  expect(at(object({ id: text, state: { enum: ['open'] }, note: text, more: amount }, ['id', 'state', 'more']))).toEqual([]);
  expect(at(object({ id: text, state: { enum: ['open', 'lost'] }, note: text }, ['id', 'state']))).toEqual([
    '/output_schema/properties/state/enum',
  ]);
  expect(at(object({ id: text, state: { enum: ['open'] }, note: text }, ['id']))).toEqual(['/output_schema/required']);
  expect(at(object({ id: text, state: { enum: ['open'] } }, ['id', 'state']))).toEqual(['/output_schema/properties/note']);
  expect(at(object({ id: { type: ['string', 'null'] }, state: { enum: ['open'] }, note: text }, ['id', 'state']))).toEqual([
    '/output_schema/properties/id/type',
  ]);
});

test('the fields that identify an effect may change only with a major version', () => {
  const of = (more: Partial<ToolContract>) => contract(object({ amount }), object({}), more);
  const changed = of({ idempotency: { discriminating: ['amount'] } });
  for (const step of ['minor', 'patch'] as const) {
    expect(breakingDifferences(of({}), changed, step).map(({ pointer }) => pointer)).toEqual([
      '/idempotency/discriminating',
      '/idempotency/except',
    ]);
    expect(breakingDifferences(of({}), of({ effect_class: 'commit_high' }), step).map(({ pointer }) => pointer)).toEqual(['/effect_class']);
  }
  expect(breakingDifferences(of({}), changed, 'major')).toEqual([]);
});

test('the comparison of recursive schemas terminates, even if the difference is deep inside', () => {
  const tree = (leaf: JsonSchema): JsonSchema => ({
    $ref: '#/$defs/Tree',
    $defs: { Tree: object({ value: leaf, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } }) },
  });
  expect(inputs(tree({ type: 'integer' }), tree({ type: 'number' }))).toEqual([]);
  expect(inputs(tree({ type: 'number' }), tree({ type: 'integer' }))).toContain('/input_schema/$defs/Tree/properties/value/type');
  const loop: JsonSchema = { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } };
  expect(inputs(loop, { ...loop, type: 'object' })).not.toEqual([]);
});

test('a schema with exponential expansion is refused as too large after a fixed number of steps', () => {
  const fan = (depth: number, leaf: JsonSchema): JsonSchema => ({
    anyOf: [{ $ref: `#/$defs/D${depth}` }, { $ref: `#/$defs/D${depth}` }, { type: 'null' }],
    $defs: Object.fromEntries(
      Array.from({ length: depth + 1 }, (_, i) => [
        `D${i}`,
        i === 0 ? leaf : object({ a: { anyOf: [{ $ref: `#/$defs/D${i - 1}` }, { $ref: `#/$defs/D${i - 1}` }] } }),
      ]),
    ),
  });
  const differences = breakingDifferences(contract(fan(40, text)), contract(fan(40, amount)), 'minor');
  expect(JSON.stringify(differences)).toContain('too large to compare');
});

test('below 1.0.0 the second number is the major and the third the minor, as ^ reads them', () => {
  const step = (a: string, b: string) => stepBetween(parseSemver(a) as Semver, parseSemver(b) as Semver);
  expect([step('1.2.3', '2.0.0'), step('1.2.3', '1.3.0'), step('1.2.3', '1.2.9')]).toEqual(['major', 'minor', 'patch']);
  expect([step('0.2.3', '0.3.0'), step('0.2.3', '0.2.4'), step('0.0.1', '0.0.2')]).toEqual(['major', 'minor', 'major']);
});

test('a minor may name more resources and end answers earlier; it must keep what the older version named, and a patch changes none of it', () => {
  const file: ResourceTemplate = { name: 'file:{/path}', effect: 'replaces' };
  const adds: ResourceTemplate = { ...file, effect: 'adds' };
  const byMode: ResourceTemplate = { ...file, effect: { by: '/mode', values: { a: 'adds' }, otherwise: 'replaces' } };
  const other: ResourceTemplate = { name: 'folder:{/path}', effect: 'adds' };
  const changed = (older: ResourceTemplate[] | undefined, newer: ResourceTemplate[] | undefined, step: Step) => {
    const of = (resources: ResourceTemplate[] | undefined) => contract(object({}), object({}), resources ? { resources } : {});
    return breakingDifferences(of(older), of(newer), step).map(({ pointer, allowed }) => `${pointer} ${allowed}`);
  };
  expect(changed(undefined, [file], 'minor')).toEqual([]);
  expect(changed([file], [other, file], 'minor')).toEqual([]);
  expect(changed([adds], [file], 'minor')).toEqual([]);
  expect(changed([adds], [byMode], 'minor')).toEqual([]);
  expect(changed([byMode], [file], 'minor')).toEqual([]);
  expect(changed([byMode], [{ ...byMode }], 'minor')).toEqual([]);
  expect(changed([file], undefined, 'minor')).toEqual(['/resources wider']);
  expect(changed([file, other], [other], 'minor')).toEqual(['/resources wider']);
  expect(changed([file], [adds], 'minor')).toEqual(['/resources/0/effect wider']);
  expect(changed([file], [other, byMode], 'minor')).toEqual(['/resources/1/effect wider']);
  expect(changed([file, other], [other, file], 'patch')).toEqual([]);
  expect(changed(undefined, [file], 'patch')).toEqual(['/resources same']);
  expect(changed([adds], [file], 'patch')).toEqual(['/resources same']);
  expect(changed([file], undefined, 'major')).toEqual([]);
});
