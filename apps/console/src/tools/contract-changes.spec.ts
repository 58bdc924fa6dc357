import { describe, expect, it } from 'vitest';
import { breakingChanges, contractOf } from './contract-changes.js';
import type { ToolVersion } from './tool-version.js';

const version = (contract: object): ToolVersion =>
  ({
    effect_class: 'commit_low',
    reversibility: 'reversible',
    has_compensate: true,
    idempotency: {},
    auth_requirements: [],
    scopes: [],
    markings: [],
    input_schema: {},
    output_schema: {},
    ...contract,
  }) as unknown as ToolVersion;

const inputs = (schema: object) => version({ input_schema: schema });
const outputs = (schema: object) => version({ output_schema: schema });
const changes = (before: ToolVersion, after: ToolVersion) =>
  breakingChanges(before, after).map(({ pointer, what }) => `${pointer} ${what}`);

describe('a change that may break callers', () => {
  const text = { type: 'string' };

  it.each([
    [
      'a field that becomes required',
      inputs({ properties: { a: text } }),
      inputs({ properties: { a: text }, required: ['a'] }),
      'it is required now',
    ],
    ['a field that is taken away', inputs({ properties: { a: text } }), inputs({ properties: {} }), 'it is no longer accepted'],
    [
      'another type',
      inputs({ properties: { a: text } }),
      inputs({ properties: { a: { type: 'integer' } } }),
      'its type was "string" and is "integer"',
    ],
    ['a narrower bound', inputs({ maxLength: 9 }), inputs({ maxLength: 5 }), 'maxLength is 5 now'],
    ['a new bound', inputs({}), inputs({ minimum: 0 }), 'minimum is 0 now'],
    ['a value that is taken away', inputs({ enum: ['a', 'b'] }), inputs({ enum: ['a'] }), 'it no longer accepts "b"'],
    ['no further fields', inputs({}), inputs({ additionalProperties: false }), 'further fields are no longer accepted'],
    ['an output that is taken away', outputs({ properties: { a: text } }), outputs({ properties: {} }), 'it is no longer returned'],
    [
      'an output that may be absent',
      outputs({ properties: { a: text }, required: ['a'] }),
      outputs({ properties: { a: text } }),
      'it may be absent now',
    ],
    ['a new value of an output', outputs({ enum: ['a'] }), outputs({ enum: ['a', 'b'] }), 'it may be "b" now'],
    ['a stronger effect', version({}), version({ effect_class: 'commit_high' }), 'it does more than before'],
    ['an effect that is harder to undo', version({}), version({ reversibility: 'irreversible' }), 'it is harder to undo'],
    [
      'another key',
      version({}),
      version({ idempotency: { except: ['a'] } }),
      'other inputs tell calls apart: the same inputs may run again',
    ],
    ['a secret more', version({}), version({ auth_requirements: ['crm'] }), 'it newly needs crm'],
  ])('is %s', (_, before, after, what) => expect(changes(before, after)).toEqual([expect.stringContaining(what)]));

  it('is not a wider bound, an optional field or an output more', () => {
    expect(changes(inputs({ maxLength: 5 }), inputs({ maxLength: 9 }))).toEqual([]);
    expect(changes(inputs({ properties: {} }), inputs({ properties: { a: text } }))).toEqual([]);
    expect(changes(outputs({ properties: {} }), outputs({ properties: { a: text }, required: ['a'] }))).toEqual([]);
  });

  it('is found inside of nested fields and items', () => {
    const nested = (type: string) => inputs({ properties: { list: { items: { properties: { a: { type } } } } } });
    expect(changes(nested('string'), nested('number'))).toEqual([
      '/input_schema/properties/list/items/properties/a its type was "string" and is "number"',
    ]);
  });

  it('comes at most 50 times from a contract of an attacker', () => {
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, text]));
    expect(changes(inputs({ properties: wide }), inputs({ properties: {} }))).toHaveLength(50);
  });
});

it('a contract has what its author wrote, not what was measured since', () => {
  const contract = contractOf({ ...version({ description: 'a' }), trust_score: 0.5, lifecycle: 'active', digest: 'x' } as ToolVersion);
  expect(Object.keys(contract)).toContain('description');
  expect(Object.keys(contract)).not.toContain('trust_score');
  expect(Object.keys(contract)).not.toContain('digest');
});
