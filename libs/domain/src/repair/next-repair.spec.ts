import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RepairCause } from './cause.js';
import { nextRepair, REPAIRS_MAX, type RepairRequest } from './next-repair.js';
import { type RepairCheck, type RepairInputs, repairWarning } from './repairs.js';

type Properties = Record<string, object>;
const INVALID: RepairCause = { kind: 'invalid', issues: [] };
const EMPTY: RepairCause = { kind: 'empty' };

/** As admission has it. */
const ajv = new Ajv2020({ strict: false, allErrors: true, useDefaults: true, validateFormats: true });
formats.default(ajv);

function checkOf(schema: object): RepairCheck {
  const validate = ajv.compile(schema);
  return (inputs) => (validate(inputs) ? [] : (validate.errors ?? []).map(({ instancePath: path }) => ({ path })));
}

const object = (properties: Properties, more: object = {}) => ({ type: 'object', properties, additionalProperties: false, ...more });

function requestOf(schema: object, inputs: RepairInputs, more: Partial<RepairRequest> = {}): RepairRequest {
  const contract = { effect_class: 'read_internal', input_schema: schema as Record<string, unknown> } as const;
  return { contract, inputs, tried: [], cause: INVALID, check: more.check ?? checkOf(schema), ...more };
}
const repaired = (properties: Properties, inputs: RepairInputs, more: Partial<RepairRequest> = {}) =>
  nextRepair(requestOf(object(properties), inputs, more));
/** The repaired value of one input. */
const value = (schema: object, given: unknown): unknown => repaired({ x: schema }, { x: given })?.inputs.x;

const CHOICE = { enum: ['created', 'pending', 'completed', 'cancelled'] };
const either = (...types: string[]) => ({ anyOf: types.map((type) => ({ type })) });

test.each<[string, object, unknown, unknown]>([
  ['a text that is a whole number', { type: 'integer' }, ' 5 ', 5],
  ['a text that is a number', { type: 'number' }, '-1.5e2', -150],
  ['a text that is a number, where a list of choices has it', { enum: [5, 10] }, '5', 5],
  ['a word for true', { type: 'boolean' }, ' Yes', true],
  ['a word for false', { type: 'boolean' }, 'off', false],
  ['a number where a text is wanted', { type: 'string' }, 42, '42'],
  ['one value where a list is wanted', { type: 'array', items: { type: 'string' } }, 'a', ['a']],
  ['blanks around a text', { type: 'string', pattern: '^[a-z]+$' }, ' ab\n', 'ab'],
  ['another spelling of a choice', CHOICE, 'Canceled ', 'cancelled'],
  ['a choice in capitals', CHOICE, 'PENDING', 'pending'],
  ['a written date', { type: 'string', format: 'date' }, 'March 5th, 2026', '2026-03-05'],
  ['one of two types that fits alone', either('integer', 'null'), '7', 7],
])('repairs %s', (_what, schema, given, expected) => {
  expect(value(schema, given)).toEqual(expected);
});

test.each<[string, object, unknown]>([
  ['a date with two readings', { type: 'string', format: 'date' }, '03/04/2026'],
  ['a word that is no number', { type: 'integer' }, '5 apples'],
  ['half a number', { type: 'integer' }, '5.5'],
  ['a number that would lose digits', { type: 'integer' }, '12345678901234567890'],
  ['two meanings', either('integer', 'boolean'), '1'],
  ['two nearest choices', { enum: ['asset_a', 'asset_b'] }, 'asset_c'],
  ['a choice that is too far', CHOICE, 'finished'],
  ['a short choice that differs', { enum: ['eu', 'us'] }, 'uk'],
  ['what no rule mends', { type: 'integer', minimum: 10 }, '5'],
])('does not guess: %s', (_what, schema, given) => {
  expect(repaired({ x: schema }, { x: given })).toBeUndefined();
});

test('all places are repaired at once, also below lists and references, and each change is listed without its value', () => {
  const item = { type: 'object', properties: { n: { type: 'integer' }, 'a/b': { type: 'boolean' } }, required: ['n'] };
  const schema = object(
    { list: { type: 'array', items: { $ref: '#/$defs/item' } }, on: { type: ['boolean', 'string'], format: 'date' } },
    { $defs: { item } },
  );
  const found = nextRepair(requestOf(schema, { list: [{ n: '1' }, { n: 2, 'a/b': 'no' }], on: '1 June 2026' }));
  expect(found?.inputs).toEqual({ list: [{ n: 1 }, { n: 2, 'a/b': false }], on: '2026-06-01' });
  expect(found?.changes).toEqual([
    { pointer: '/list/0/n', rule: 'number_from_text', from: 'text', to: 'number' },
    { pointer: '/list/1/a~1b', rule: 'boolean_from_text', from: 'text', to: 'boolean' },
    { pointer: '/on', rule: 'date_respelled', from: 'text', to: 'text' },
  ]);
  expect(found?.changes.map(repairWarning)[0]).toBe('repaired /list/0/n: the text became a number');
});

test('null is left out where it may be missing', () => {
  const schema = object({ a: { type: 'string' }, b: { type: 'string' } }, { required: ['b'] });
  expect(nextRepair(requestOf(schema, { a: null, b: 'x' }))?.inputs).toEqual({ b: 'x' });
  expect(nextRepair(requestOf(schema, { a: 'x', b: null }))).toBeUndefined();
});

test('after four repairs there are no more, and inputs that were tried are not tried again', () => {
  const filters = Object.fromEntries(['a', 'b', 'c'].map((name, order) => [name, { 'x-broaden': order }]));
  const tried = Array.from({ length: REPAIRS_MAX }, (_, n) => ({ a: n }));
  const at = (earlier: RepairInputs[]) => repaired(filters, { a: 9, b: 1, c: 1 }, { cause: EMPTY, tried: earlier })?.inputs;
  expect(at(tried)).toBeUndefined();
  expect(at(tried.slice(1))).toEqual({ b: 1, c: 1 });
  expect(at([{ c: 1, b: 1 }])).toEqual({ a: 9, c: 1 });
});

test('a fault that stays leaves nothing to try: repaired inputs are valid as a whole', () => {
  expect(repaired({ a: { type: 'integer' }, b: { type: 'integer' } }, { a: '1', b: 'many' })).toBeUndefined();
  expect(nextRepair(requestOf(object({ a: { type: 'integer' } }, { required: ['b'] }), { a: '1' }))).toBeUndefined();
});

describe('a cursor', () => {
  const list = { cursor: { type: 'string' }, limit: { type: 'integer' } };

  test('is dropped where it is at fault, or where a valid input was refused without a place', () => {
    const at = (path: string) => ({ cause: { kind: 'invalid', issues: [{ path }] } as const });
    expect(repaired(list, { cursor: 'old', limit: 5 })?.inputs).toEqual({ limit: 5 });
    expect(repaired(list, { cursor: 'old', limit: 5 }, at('/cursor'))?.changes[0]).toMatchObject({ rule: 'cursor_dropped', to: 'absent' });
    expect(repaired(list, { cursor: 'old', limit: 5 }, at('/limit'))).toBeUndefined();
    expect(repaired(list, { limit: 5 })).toBeUndefined();
  });

  test('is trimmed first, and stays where it must be there', () => {
    const cause = { kind: 'invalid', issues: [{ path: '/cursor' }] } as const;
    const first = repaired(list, { cursor: ' c ' }, { cause });
    expect(first?.inputs).toEqual({ cursor: 'c' });
    expect(repaired(list, { cursor: 'c' }, { cause, tried: [{ cursor: ' c ' }] })?.inputs).toEqual({});
    expect(nextRepair(requestOf(object(list, { required: ['cursor'] }), { cursor: 'old' }))).toBeUndefined();
  });
});

describe('an empty answer', () => {
  const filters = {
    owner: { type: 'string' },
    since: { type: 'string', 'x-broaden': 2 },
    about: { type: 'string', 'x-broaden': 3 },
    match: { enum: ['exact', 'prefix'], 'x-broaden': { order: 1, to: 'prefix' } },
  };
  const all = { owner: 'ann', about: 'tea', since: '2026', match: 'exact' };

  test('broadens one declared filter after the other, in their order, and never one without the mark', () => {
    const first = repaired(filters, all, { cause: EMPTY });
    expect(first?.inputs).toEqual({ ...all, match: 'prefix' });
    expect(first?.changes).toEqual([{ pointer: '/match', rule: 'filter_widened', from: 'text', to: 'text' }]);
    const second = repaired(filters, first?.inputs as RepairInputs, { cause: EMPTY, tried: [all] });
    expect(second?.inputs).toEqual({ owner: 'ann', about: 'tea', match: 'prefix' });
    const third = repaired(filters, second?.inputs as RepairInputs, { cause: EMPTY, tried: [all, first?.inputs as RepairInputs] });
    expect(third?.inputs).toEqual({ owner: 'ann', match: 'prefix' });
    expect(repaired(filters, third?.inputs as RepairInputs, { cause: EMPTY })).toBeUndefined();
  });

  test('keeps a required filter, and the last page of a list', () => {
    const required = object({ since: { 'x-broaden': 1 } }, { required: ['since'] });
    expect(nextRepair(requestOf(required, { since: '2026' }, { cause: EMPTY }))).toBeUndefined();
    const paged = { ...filters, cursor: { type: 'string' } };
    expect(repaired(paged, { ...all, cursor: 'c' }, { cause: EMPTY })).toBeUndefined();
  });
});

test('inputs with very many faults are not repaired', () => {
  const many = (count: number, given: unknown) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, given]));
  const of = (count: number) => repaired(many(count, { type: 'integer' }) as Properties, many(count, '5'));
  expect([of(49)?.changes.length, of(50)]).toEqual([49, undefined]);
});

test('a write is only proposed, and never broadened', () => {
  const contract = { effect_class: 'commit_low', input_schema: object({ n: { type: 'integer' } }) } as const;
  expect(nextRepair({ ...requestOf(contract.input_schema, { n: '5' }), contract })).toMatchObject({ kind: 'proposal', inputs: { n: 5 } });
  const filter = { ...contract, input_schema: object({ n: { 'x-broaden': 1 } }) };
  expect(nextRepair({ ...requestOf(filter.input_schema, { n: 5 }, { cause: EMPTY }), contract: filter })).toBeUndefined();
});

const kinds: fc.Arbitrary<object> = fc.constantFrom<object>(
  { type: 'integer' },
  { type: 'boolean', 'x-broaden': 2 },
  { type: 'string', 'x-broaden': 1 },
  { type: 'string', format: 'date' },
  { type: 'array', items: { type: 'integer' }, 'x-broaden': 1 },
  { enum: ['red', 'green', 'blue', 4] },
  { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  { type: 'object', properties: { n: { type: 'number' } } },
);
const names = fc.constantFrom('a', 'b', 'cursor', 'constructor', 'toString', 'x/y', 'x~y');
const values = fc.oneof(
  fc.constantFrom<unknown>('5', ' 7 ', 'gren', 'yes', '1 May 2026', '4/5/2026', null, true, ' SECRET'),
  fc.jsonValue({ maxDepth: 2 }),
);
const cases = fc.record({
  properties: fc.dictionary(names, kinds),
  required: fc.array(names, { maxLength: 1 }),
  inputs: fc.dictionary(names, values),
  causes: fc.array(fc.constantFrom<RepairCause>(INVALID, EMPTY, { kind: 'invalid', issues: [{ path: '/a' }, { path: '/cursor' }] }), {
    minLength: REPAIRS_MAX + 3,
    maxLength: REPAIRS_MAX + 3,
  }),
});

test('whatever the schema and the inputs: repairs end, are valid, never repeat, and list no value', () => {
  fc.assert(
    fc.property(cases, ({ properties, required, inputs, causes }) => {
      const schema = object(properties, { required });
      const check = checkOf(schema);
      const seen: RepairInputs[] = [];
      let at: RepairInputs = inputs;
      const base = requestOf(schema, inputs, { check });
      for (const cause of causes) {
        const before = JSON.stringify(at);
        const next = nextRepair({ ...base, inputs: at, tried: seen, cause });
        expect(JSON.stringify(at)).toBe(before);
        if (!next) break;
        expect(check(structuredClone(next.inputs) as Record<string, unknown>)).toEqual([]);
        seen.push(at);
        for (const earlier of seen) expect(next.inputs).not.toEqual(earlier);
        expect(JSON.stringify(next.changes)).not.toMatch(/SECRET|gren|May/);
        at = next.inputs;
      }
      expect(seen.length).toBeLessThanOrEqual(REPAIRS_MAX);
    }),
    { numRuns: 100 },
  );
});

const reversed = <V>(given: Readonly<Record<string, V>>): Record<string, V> => Object.fromEntries(Object.entries(given).reverse());

test('changes are listed by their place, and filters of the same order are dropped by name, however members are ordered', () => {
  const faults = { b: '1', a: '2' };
  const schema = object({ b: { type: 'integer' }, a: { type: 'integer' } });
  expect(nextRepair(requestOf(schema, faults))?.changes.map(({ pointer }) => pointer)).toEqual(['/a', '/b']);
  const filters = object({ b: { 'x-broaden': 1 }, a: { 'x-broaden': 1 } });
  expect(nextRepair(requestOf(filters, { b: 1, a: 1 }, { cause: EMPTY }))?.inputs).toEqual({ b: 1 });
});

test('the order of members, issues and earlier inputs does not matter', () => {
  fc.assert(
    fc.property(cases, ({ properties, inputs, causes: [cause = INVALID] }) => {
      const tried = [{ a: 1 }, { b: 2 }];
      const forward = nextRepair(requestOf(object(properties), inputs, { cause, tried }));
      const backward = nextRepair(
        requestOf(object(reversed(properties)), reversed(inputs), {
          cause: cause.kind === 'invalid' ? { ...cause, issues: [...cause.issues].reverse() } : cause,
          tried: [...tried].reverse(),
        }),
      );
      expect(backward).toEqual(forward);
    }),
    { numRuns: 60 },
  );
});

test('valid inputs are not repaired', () => {
  fc.assert(
    fc.property(cases, ({ properties, inputs }) => {
      const { cursor: _, ...given } = inputs;
      const base = requestOf(object(properties), given);
      const is_valid = base.check(structuredClone(given)).length === 0;
      const first = nextRepair(base);
      if (is_valid) expect(first).toBeUndefined();
      if (first) expect(nextRepair({ ...base, inputs: first.inputs })).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

describe('hostile', () => {
  const long = 'x'.repeat(1_000_000);
  const nested = (levels: number): unknown => (levels === 0 ? '5' : { a: nested(levels - 1) });
  const recursive = { type: 'object', properties: { a: { anyOf: [{ $ref: '#' }, { type: 'integer' }] } } };

  test.each<[string, object, RepairInputs]>([
    ['a long text', object({ x: { type: 'integer' } }), { x: long }],
    ['a long date', object({ x: { type: 'string', format: 'date' } }), { x: '1 '.repeat(500_000) }],
    ['a long text with choices', object({ x: { enum: Array.from({ length: 1_000 }, (_, n) => `${n}`.repeat(10)) } }), { x: long }],
    ['very many choices', object({ x: { enum: Array.from({ length: 20_000 }, (_, n) => `choice${n}`) } }), { x: 'choic1' }],
    [
      'very many alternatives',
      object({ x: { anyOf: Array.from({ length: 1_000 }, () => ({ minimum: 1, type: 'integer' })) } }),
      { x: 'y' },
    ],
    [
      'very many faults',
      object(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`x${n}`, { type: 'integer' }]))),
      Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`x${n}`, '5'])),
    ],
    ['deep inputs', recursive, nested(60) as RepairInputs],
    [
      'a schema that refers to itself',
      { $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { type: 'integer' } }, ...object({ x: { $ref: '#/$defs/a' } }) },
      { x: [] },
    ],
  ])('%s takes little time', (_what, schema, inputs) => {
    const request = requestOf(schema, inputs);
    const before = process.cpuUsage();
    nextRepair(request);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_500);
  });

  test('names and pointers that lead to a prototype change nothing', () => {
    const paths = ['/__proto__', '/__proto__/polluted', '/constructor/prototype/polluted', '/toString', '', 'x', '/', '/x/0', '/~2'];
    const cause = { kind: 'invalid', issues: paths.map((path) => ({ path })) } as const;
    const own = JSON.parse('{"__proto__": {"polluted": " 5 "}, "x": " 5 "}') as RepairInputs;
    const found = nextRepair(
      requestOf({ properties: { x: { type: 'string' } } }, own, { cause: { ...cause, issues: [...cause.issues, { path: '/x' }] } }),
    );
    expect(found?.changes).toMatchObject([{ pointer: '/x' }]);
    expect([({} as { polluted?: unknown }).polluted, Object.keys(found?.inputs as object)]).toEqual([undefined, ['__proto__', 'x']]);
  });
});
