import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { overlaps, parseResourceName, resourcesOf } from './resources.js';
import { histories } from './testing/histories.js';
import type { ResourceEffect, ResourceTemplate } from './tool-contract.js';

const file: ResourceTemplate = { name: 'file:{/path}', effect: 'replaces' };
const uses = (templates: readonly ResourceTemplate[], inputs: unknown) => resourcesOf({ resources: [...templates] }, inputs);
const namesOf = (name: string, inputs: unknown) => uses([{ name, effect: 'adds' }], inputs).map(({ segments }) => segments);
const nameOf = (name: string, inputs: unknown) => namesOf(name, inputs)[0];
const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
  .filter((text) => !/[/\\]/.test(text) && !['.', '..'].includes(text));
const path = fc.array(segment, { minLength: 1, maxLength: 8 });

describe('a name', () => {
  test('has its kind first, then literal text and values', () => {
    expect(nameOf('git:{/repo}/heads/{/branch}', { repo: 'app', branch: 'agent/c1/x' })).toEqual([
      'git',
      'app',
      'heads',
      'agent',
      'c1',
      'x',
    ]);
    expect(nameOf('order:v-{/id}', { id: 12 })).toEqual(['order', 'v-12']);
    expect(nameOf('flag:{/on}', { on: true })).toEqual(['flag', 'true']);
    expect(nameOf('a:{/x~1y/z~0}', { 'x/y': { 'z~': 'v' } })).toEqual(['a', 'v']);
  });

  test.each([
    ['a/./b', 'a/b'],
    ['a//b/', 'a/b'],
    ['a\\b', 'a/b'],
    ['a/x/../b', 'a/b'],
    ['A/B', 'a/b'],
    ['cafe\u0301', 'caf\u00e9'],
    ['STRASSE', 'straße'],
    ['\u212a', 'k'],
    ['\u1e9e', 'ss'],
  ])('%j is %j', (one, other) => {
    expect(nameOf('file:{/path}', { path: one })).toEqual(nameOf('file:{/path}', { path: other }));
  });

  test('is cut before a segment without a value, which makes it broader', () => {
    const template = 'git:{/repo}/heads/b-{/branch}/tail';
    for (const inputs of [{ repo: 'app' }, { repo: 'app', branch: null }])
      expect(nameOf(template, inputs)).toEqual(['git', 'app', 'heads']);
    expect(nameOf('file:{/a/b}', { a: ['b'] })).toEqual(['file']);
    expect(nameOf('file:{/constructor}', {})).toEqual(['file']);
    expect(nameOf('file:{/path}', { path: [] })).toEqual(['file']);
    expect(nameOf('file:{/path}', 'no object')).toEqual(['file']);
  });

  test('a value with `..` above its own start leaves only the kind, which covers both readings of the value', () => {
    for (const path of ['..', '../x', 'a/../../x', '../../../etc']) expect(nameOf('file:{/path}', { path })).toEqual(['file']);
    expect(nameOf('git:{/repo}/heads/{/branch}', { repo: 'app', branch: '../../other' })).toEqual(['git']);
    expect(nameOf('git:{/repo}/heads/{/branch}', { repo: 'a/..', branch: 'b/..' })).toEqual(['git', 'heads']);
    expect(nameOf('a:{/x}/{/y}', { x: '..', y: 'b' })).toEqual(['a']);
  });

  test('an object is one segment, an array gives one name per item', () => {
    expect(nameOf('a:{/x}', { x: { b: '/..', a: 1 } })).toEqual(['a', '{"a":1,"b":"/.."}']);
    expect(namesOf('file:{/paths}', { paths: ['b', 'a', './b', ['c']] })).toEqual([
      ['file', '["c"]'],
      ['file', 'a'],
      ['file', 'b'],
    ]);
    expect(namesOf('a:{/x}/{/y}', { x: [1, 2], y: [3, null] })).toEqual([
      ['a', '1'],
      ['a', '1', '3'],
      ['a', '2'],
      ['a', '2', '3'],
    ]);
  });

  test('a value without canonical text cuts the name, like a missing value', () => {
    expect(nameOf('a:{/x}/{/y}', { x: 'b', y: { z: '\ud800' } })).toEqual(['a', 'b']);
    expect(nameOf('a:{/x}', { x: '\ud800' })).toHaveLength(2);
  });

  test('is cut at 16 segments; more than 32 names become only their kinds', () => {
    expect(nameOf('file:{/path}', { path: 'a/'.repeat(40) })).toHaveLength(16);
    const paths = Array.from({ length: 33 }, (_, n) => `f${n}`);
    expect(namesOf('file:{/paths}', { paths: paths.slice(1) })).toHaveLength(32);
    expect(namesOf('file:{/paths}', { paths })).toEqual([['file']]);
    expect(namesOf('file:{/paths}', { paths: Array<string>(100_000).fill('x') })).toEqual([['file']]);
    const both = uses(
      [
        { name: 'a:{/x}', effect: 'adds' },
        { name: 'b:{/x}', effect: 'replaces' },
      ],
      { x: paths.slice(0, 20) },
    );
    expect(both).toEqual([
      { segments: ['a'], effect: 'adds' },
      { segments: ['b'], effect: 'replaces' },
    ]);
  });

  test('a contract without resources gives none', () => {
    expect([resourcesOf({}, { path: 'a' }), resourcesOf({ resources: [] }, {})]).toEqual([[], []]);
  });
});

describe('an effect', () => {
  const mode: ResourceTemplate = { name: 'file:{/path}', effect: { by: '/mode', values: { append: 'adds' }, otherwise: 'replaces' } };
  test.each<[unknown, ResourceEffect]>([
    ['append', 'adds'],
    ['overwrite', 'replaces'],
    [undefined, 'replaces'],
    ['constructor', 'replaces'],
    [['append'], 'replaces'],
  ])('by a mode of %j: %s', (value, effect) => {
    expect(uses([mode], { path: 'a', mode: value })).toEqual([{ segments: ['file', 'a'], effect }]);
  });

  test('may depend on a boolean', () => {
    const template: ResourceTemplate = { name: 'x:{/a}', effect: { by: '/keep', values: { true: 'adds' }, otherwise: 'replaces' } };
    expect(uses([template], { a: 1, keep: true })[0]?.effect).toBe('adds');
  });

  test('of two equal names is `replaces` if either is', () => {
    const twice: ResourceTemplate[] = [
      { name: 'file:{/to}', effect: 'adds' },
      { name: 'file:{/from}', effect: 'replaces' },
    ];
    expect(uses(twice, { to: 'a', from: './A' })).toEqual([{ segments: ['file', 'a'], effect: 'replaces' }]);
  });
});

describe('for any inputs', () => {
  test('the order of templates and inputs, duplicate items, empty segments and dots do not matter', () => {
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(), { minLength: 8, maxLength: 8 }), (paths, order) => {
        const inputs = paths.map((each) => each.join('/'));
        const shuffled = inputs
          .map((each, at) => [order[at] as number, each] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, each]) => `.//./${each}/.`);
        const templates: ResourceTemplate[] = [
          { name: 'file:{/paths}', effect: 'adds' },
          { name: 'dir:{/paths}', effect: 'replaces' },
        ];
        const one = uses(templates, { paths: inputs, other: 1 });
        const other = uses(templates.toReversed(), { other: 2, paths: [...shuffled, ...shuffled] });
        expect(other).toEqual(one);
      }),
    );
  });

  test('letter case and Unicode form do not matter', () => {
    const of = (text: string) => nameOf('file:{/path}', { path: text });
    fc.assert(
      fc.property(path, (names) => {
        const text = names.join('/');
        const plain = of(text);
        for (const other of [text.normalize('NFC'), text.normalize('NFD'), text.toUpperCase(), text.toLowerCase()])
          expect(of(other)).toEqual(plain);
      }),
      { numRuns: histories(50, 300) },
    );
    for (let point = 1; point < 0x1_0000; point++) {
      const letter = String.fromCodePoint(point);
      if (!/\p{Cased}/u.test(letter)) continue;
      for (const other of [letter.toUpperCase(), letter.toLowerCase(), letter.normalize('NFD')]) expect(of(other)).toEqual(of(letter));
    }
  });

  test('the kind stays, no segment is empty or `..`, and uses are sorted and distinct', () => {
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('..', '../..', 'a/../../b', '.', '/', '\\..\\'),
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
    );
    fc.assert(
      fc.property(value, value, (a, b) => {
        const found = uses([{ name: 'file:{/a}/x/{/b}', effect: 'adds' }, file], { a, b, path: b });
        expect(found.length).toBeGreaterThan(0);
        expect(new Set(found.map(({ segments }) => JSON.stringify(segments))).size).toBe(found.length);
        for (const { segments } of found) {
          expect(segments[0]).toBe('file');
          expect(segments.length).toBeLessThanOrEqual(16);
          expect(segments.every((each) => each !== '' && each !== '.' && each !== '..')).toBe(true);
        }
      }),
    );
  });

  test('a path stays below its folder, and a nested folder does not overlap its sibling', () => {
    fc.assert(
      fc.property(path, segment, segment, (folder, one, other) => {
        const at = (...names: string[]) => nameOf('file:{/path}', { path: [...folder, ...names].join('/') }) as readonly string[];
        expect(overlaps(at(), at(one, other))).toBe(true);
        expect(overlaps(at(one, other), at())).toBe(true);
        const same = at(one).join('/') === at(other).join('/');
        expect(overlaps(at(one), at(other))).toBe(same);
        expect(overlaps(at(one), ['dir', ...at(one).slice(1)])).toBe(false);
      }),
    );
  });
});

test.each([
  ['file', 'no kind'],
  ['File:{/a}', 'kind'],
  ['1a:{/a}', 'kind'],
  ['a:{a}', 'JSON Pointer'],
  ['a:{/a~2}', 'JSON Pointer'],
  ['a:{/}', 'JSON Pointer'],
  ['a:{}', 'JSON Pointer'],
  ['a:{/a', 'brace'],
  ['a:/a}', 'brace'],
  ['a:../{/a}', '..'],
  ['a:', 'no segments'],
])('%j is not a valid name', (name, fault) => {
  expect(parseResourceName(name)).toEqual({ fault: expect.stringContaining(fault) });
  expect(() => uses([{ name, effect: 'adds' }], {})).toThrow(TypeError);
});
