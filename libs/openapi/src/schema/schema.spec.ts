import type { JsonSchema } from '@countersign/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { answering, compiled, documentOf, taking } from '../testing/documents.js';
import { plainText } from './copy.js';

/** The schema that one property of a body becomes. */
function asInput(schema: object, openapi = '3.0.3', components: object = {}): JsonSchema {
  const body = { type: 'object', properties: { value: schema } };
  const { contract } = compiled(documentOf({ '/a': { post: taking(body) } }, { components }, openapi)).only();
  return (contract.input_schema.properties as Record<string, JsonSchema>).value as JsonSchema;
}

function asBody(schema: object, components: object = {}, openapi = '3.0.3') {
  const { contract, warnings } = compiled(documentOf({ '/a': { get: answering(schema) } }, { components }, openapi)).only();
  return {
    schema: contract.output_schema,
    body: (contract.output_schema.properties as Record<string, JsonSchema>).body as JsonSchema,
    warnings,
  };
}

const takes = (schema: JsonSchema, value: unknown) => new Ajv2020({ strict: false }).compile(schema)(value);
const json = { $ref: '#/$defs/json' };

describe('a schema of OpenAPI 3.0 is one of JSON Schema 2020-12', () => {
  test.each<[string, object, object]>([
    ['nullable adds null', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable adds null to an enumeration',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['an exclusive bound is a number', { type: 'number', minimum: 5, exclusiveMinimum: true }, { type: 'number', exclusiveMinimum: 5 }],
    ['a bound that is not exclusive stays', { type: 'number', maximum: 5, exclusiveMaximum: false }, { type: 'number', maximum: 5 }],
    ['an example is one of the examples', { type: 'string', example: 'a' }, { type: 'string', examples: ['a'] }],
    [
      'a discriminator, xml and extensions say nothing about values',
      { type: 'string', discriminator: { propertyName: 'k' }, xml: {}, 'x-a': 1 },
      { type: 'string' },
    ],
    ['a format that validators do not know is left out', { type: 'integer', format: 'int64' }, { type: 'integer' }],
    ['an invalid keyword is left out', { type: 'string', maxLength: 'many', enum: [], pattern: '(' }, { type: 'string' }],
    ['a schema without a type gets the one it implies', { minLength: 1 }, { type: 'string' }],
  ])('%s', (_, source, target) => expect(asInput(source)).toMatchObject(target));

  test('beside a reference nothing counts', () => {
    const components = { schemas: { A: { type: 'string' } } };
    expect(asInput({ $ref: '#/components/schemas/A', description: 'not this' }, '3.0.3', components)).toEqual({ $ref: '#/$defs/A' });
    expect(asInput({ $ref: '#/components/schemas/A', description: 'this' }, '3.1.0', components)).toEqual({
      $ref: '#/$defs/A',
      description: 'this',
    });
  });

  test('3.1 is taken as it is', () => {
    expect(asInput({ type: ['string', 'null'], const: 'a' }, '3.1.0')).toEqual({ type: ['string', 'null'], const: 'a' });
    expect(asInput({ type: 'number', exclusiveMinimum: 5 }, '3.1.1')).toEqual({ type: 'number', exclusiveMinimum: 5 });
    expect(asInput({ type: 'string', nullable: true }, '3.1.0')).toEqual({ type: 'string' });
  });
});

describe('what a schema leaves open', () => {
  test.each<[string, object, object]>([
    ['nothing said', {}, json],
    ['an object', { type: 'object' }, { type: 'object', additionalProperties: json }],
    [
      'more properties',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
      { additionalProperties: json },
    ],
    ['a list', { type: 'array' }, { type: 'array', items: json }],
  ])('%s is any JSON, with its types spelled out', (_, source, target) => expect(asInput(source)).toMatchObject(target));
});

describe('references', () => {
  const Node = { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/components/schemas/Node' } } };

  test('a cycle stays a reference, with the definitions that it reaches and no others', () => {
    const { contract } = compiled(
      documentOf(
        { '/a': { post: taking({ $ref: '#/components/schemas/Node' }) } },
        { components: { schemas: { Node, Other: { type: 'string' } } } },
      ),
    ).only();
    expect(Object.keys(contract.input_schema.$defs as object)).toEqual(['Node']);
    expect(takes(contract.input_schema, { name: 'a', next: { name: 'b', next: { name: 'c' } } })).toBe(true);
    expect(takes(contract.input_schema, { name: 'a', next: { name: 'b', next: { name: 1 } } })).toBe(false);
  });

  test('an external one is an error that names it, and costs only its operation', () => {
    const paths = {
      '/a': { get: answering({ $ref: 'https://evil.example.com/a.json#/A' }) },
      '/b': { get: answering({ type: 'string' }) },
    };
    const { tools, skipped } = compiled(documentOf(paths));
    expect(tools.map(({ operation }) => operation)).toEqual(['GET /b']);
    expect(skipped).toEqual([
      { operation: 'GET /a', reason: expect.stringContaining('"https://evil.example.com/a.json#/A", which is outside the document') },
    ]);
  });

  test('one to nowhere, and one that leads to itself, cost only their operation', () => {
    const paths = {
      '/a': { get: answering({ $ref: '#/components/schemas/None' }) },
      '/b': { get: { $ref: '#/paths/~1b/get', responses: { $ref: '#/paths/~1b/get/responses' } } },
    };
    expect(
      compiled(documentOf({ ...paths, '/c': { get: { responses: { 200: { $ref: '#/paths/~1c/get/responses/200' } } } } })).skipped.map(
        ({ reason }) => reason,
      ),
    ).toEqual([expect.stringContaining('which does not exist'), expect.stringContaining('only to references')]);
  });
});

describe('an output', () => {
  const deep = (levels: number): object =>
    levels === 0 ? { type: 'string' } : { type: 'object', required: ['a'], properties: { a: deep(levels - 1) } };

  test('stops at depth 4: deeper values may be anything', () => {
    const { schema, warnings } = asBody(deep(6));
    expect(warnings).toEqual(['output deeper than 4 is not checked']);
    const value = (levels: number, leaf: unknown): unknown => (levels === 0 ? leaf : { a: value(levels - 1, leaf) });
    expect(takes(schema, { status: 200, body: value(5, { other: 1 }) })).toBe(true);
    expect(takes(schema, { status: 200, body: value(3, 'text') })).toBe(false);
  });

  test('that would be larger than its contract may be stops earlier, and at last is anything', () => {
    const wide = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`property_${at}_of_many`, { type: 'string' }])),
    };
    const { schema, body } = asBody(wide);
    expect(body).toEqual(json);
    expect(takes(schema, { status: 200, body: [1, { a: null }] })).toBe(true);
  });

  test('may be no body where a success has none, and takes what alternatives of its document take', () => {
    expect(takes(compiled(documentOf({ '/a': { get: { responses: { 204: {} } } } })).only().contract.output_schema, { status: 204 })).toBe(
      true,
    );
    const both = asBody({
      oneOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { type: 'object', properties: { b: { type: 'string' } } },
      ],
    });
    expect(takes(both.schema, { status: 200, body: {} })).toBe(true);
  });

  test('does not need what only requests have, and an input does not take what only responses have', () => {
    const Pet = {
      type: 'object',
      required: ['id', 'secret'],
      properties: { id: { type: 'string', readOnly: true }, secret: { type: 'string', writeOnly: true } },
    };
    const { schema } = asBody({ $ref: '#/components/schemas/Pet' }, { schemas: { Pet } });
    expect(takes(schema, { status: 200, body: { id: '1' } })).toBe(true);
    const { contract } = compiled(documentOf({ '/a': { post: taking(Pet) } })).only();
    expect(contract.input_schema).toMatchObject({ required: ['secret'] });
    expect(Object.keys(contract.input_schema.properties as object)).toEqual(['secret']);
  });
});

test('a schema whose validation could take exponential time is made smaller until it cannot', () => {
  const Loop = {
    type: 'object',
    properties: { a: { anyOf: [{ $ref: '#/components/schemas/Loop' }, { allOf: [{ $ref: '#/components/schemas/Loop' }] }] } },
  };
  const { contract } = compiled(
    documentOf({ '/a': { get: answering({ $ref: '#/components/schemas/Loop' }) } }, { components: { schemas: { Loop } } }),
  ).only();
  expect(contract.output_schema).toMatchObject({ type: 'object' });
});

test('a text is plain, on one line, bounded, and hides nothing', () => {
  expect(plainText('<p>Pay\n\n<b>now</b>\u202e\u{E0041}</p>', 100)).toBe('Pay now');
  expect(plainText('a'.repeat(1_000_000), 50)).toHaveLength(50);
});
