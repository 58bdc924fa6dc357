import { afterEach, describe, expect, test, vi } from 'vitest';
import { cpuTime, RUNAWAY_MS } from '../testing/cpu-time.js';
import { schemaFaults } from './schema-faults.js';

const string = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const doubling = () => {
  const $defs: Record<string, object> = { d0: object({}) };
  for (let at = 1; at <= 40; at++) $defs[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] };
  return { $ref: '#/$defs/d40', $defs };
};
const nestedDoubling = () => {
  const $defs: Record<string, object> = { d0: string };
  for (let at = 1; at <= 40; at++) {
    const part = object({ a: { $ref: `#/$defs/d${at - 1}` } });
    $defs[`d${at}`] = { anyOf: [part, part] };
  }
  return { $ref: '#/$defs/d40', $defs };
};
const deep = (levels: number) => {
  let schema: object = string;
  for (let at = 0; at < levels; at++) schema = { type: 'array', items: schema };
  return schema;
};
const cyclic = () => {
  const schema: Record<string, unknown> = { type: 'object' };
  schema.properties = { self: schema };
  return schema;
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a schema is refused in time proportional to its size, and nothing is fetched', () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      'with a reference to elsewhere',
      () => object({ a: { $ref: 'https://evil.example/schema.json' } }),
      /^\/properties\/a\/\$ref: refers to .* outside the schema/,
    ],
    ['with a reference to a file', () => object({ a: { $ref: 'file:///etc/passwd' } }), /outside the schema/],
    ['with a reference to a sibling', () => object({ a: { $ref: 'other.json#/x' } }), /outside the schema/],
    ['with a reference to nothing', () => object({ a: { $ref: '#/$defs/a' } }), /does not exist/],
    ['with an $id inside', () => object({ a: { $id: 'https://evil.example/' } }), /\$id below the root/],
    ['with a dynamic reference', () => object({ a: { $dynamicRef: '#a' } }), /\$dynamicRef/],
    ['of another dialect', () => ({ $schema: 'http://json-schema.org/draft-07/schema#' }), /2020-12/],
    [
      'with an expression that never ends',
      () => object({ a: { type: 'string', pattern: '^(a+)+$' } }),
      /properties\/a\/pattern: .*exponential/,
    ],
    ['with such a one for names', () => ({ type: 'object', patternProperties: { '^(\\w+)*x$': {} } }), /exponential/],
    ['whose reference is itself', () => ({ $ref: '#' }), /without descending into the value/],
    [
      'whose references chase each other',
      () => ({ anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } }),
      /without descending/,
    ],
    ['whose parts double forty times', doubling, /checked more than/],
    ['whose parts double on each level', nestedDoubling, /checked more than/],
    [
      'that recurses by two alternatives',
      () => ({ anyOf: [object({ next: { $ref: '#' } }), object({ next: { $ref: '#' }, more: string })] }),
      /doubles the work/,
    ],
    ['of 1 MB', () => object({ a: { description: 'x'.repeat(1_000_000) } }), /more than 200000 characters/],
    [
      'of 1 MB in small parts',
      () => object(Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`p${at}`, string]))),
      /more than 20000 values/,
    ],
    ['nested 100,000 deep', () => deep(100_000), /nested deeper/],
    ['that holds itself', cyclic, /nested deeper/],
    [
      'with 2,000 expressions',
      () =>
        object(
          Object.fromEntries(
            Array.from({ length: 2_000 }, (_, at) => [
              `p${at}`,
              { type: 'string', pattern: `^([a-z]{3,40}-)+[a-z]{${at % 7},}x${at}(a|b)*$` },
            ]),
          ),
        ),
      /too complex/,
    ],
    ['that is none', () => 'string', /is an object/],
    ['with a function in it', () => ({ type: 'object', properties: { a: { default: () => 1 } } }), /not JSON/],
  ])('%s', (_title, make, message) => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const schema = make();
    expect(cpuTime(() => expect(schemaFaults(schema).join('; ')).toMatch(message))).toBeLessThan(RUNAWAY_MS);
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe('a schema is accepted', () => {
  test.each<[string, unknown]>([
    ['that is empty', {}],
    [
      'with local references and anchors',
      { ...object({ a: { $ref: '#/$defs/x' }, b: { $ref: '#y' } }), $defs: { x: string, y: { $anchor: 'y', type: 'number' } } },
    ],
    [
      'of any JSON value',
      {
        $defs: {
          json: {
            anyOf: [
              string,
              { type: 'array', items: { $ref: '#/$defs/json' } },
              { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
            ],
          },
        },
        $ref: '#/$defs/json',
      },
    ],
    ['of a tree', object({ children: { type: 'array', items: { $ref: '#' } } })],
    ['of a list with two kinds of ends', object({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } })],
    ['with a hazard in a default', object({ a: { default: { $ref: 'https://x.example', pattern: '(a+)+' } } })],
    [
      'with many fields',
      object(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { type: 'string', pattern: '^[a-z]+$' }]))),
    ],
  ])('%s', (_title, schema) => {
    expect(schemaFaults(schema)).toEqual([]);
  });
});
