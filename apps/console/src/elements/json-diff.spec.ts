import { expect, test } from 'vitest';
import { DIFFERENCES_MAX, differences } from './json-diff.js';
import { pointerTo, sizeOf } from './json-pointer.js';

test('equal values have no differences, whatever the order of their fields', () => {
  expect(differences({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toEqual([]);
});

test('a difference is named by its JSON Pointer', () => {
  expect(differences({ a: { 'x/y': 1, gone: true }, list: [1, 2] }, { a: { 'x/y': 2, '~new': 3 }, list: [1] })).toEqual([
    { pointer: '/a/x~1y', kind: 'changed', before: 1, after: 2 },
    { pointer: '/a/gone', kind: 'removed', before: true },
    { pointer: '/a/~0new', kind: 'added', after: 3 },
    { pointer: '/list/1', kind: 'removed', before: 2 },
  ]);
});

test('a list and an object are different as a whole', () => {
  expect(differences({ a: [] }, { a: {} })).toEqual([{ pointer: '/a', kind: 'changed', before: [], after: {} }]);
  expect(differences(null, 'x')).toEqual([{ pointer: '', kind: 'changed', before: null, after: 'x' }]);
});

test('a field named __proto__ is a field', () => {
  const after = JSON.parse('{"__proto__": {"admin": true}}');
  expect(differences({}, after)).toEqual([{ pointer: '/__proto__', kind: 'added', after: { admin: true } }]);
});

test('the list of differences is bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`f${at}`, at]));
  expect(differences(many, {})).toHaveLength(DIFFERENCES_MAX);
});

test('pointers escape and sizes count', () => {
  expect(pointerTo('/a', 'b~/c')).toBe('/a/b~0~1c');
  expect([sizeOf([1]), sizeOf({}), sizeOf({ a: 1, b: 2 })]).toEqual(['1 item', '0 fields', '2 fields']);
});
