import { expect, test } from 'vitest';
import { nextRows } from './stable-list.js';

const keyOf = (item: string) => item;
const shown = (...steps: string[][]) =>
  steps
    .reduce<ReturnType<typeof nextRows<string>>>((rows, items) => nextRows(rows, items, keyOf), [])
    .map(({ key, is_gone }) => (is_gone ? `(${key})` : key))
    .join(' ');

test('what leaves the list keeps its place; what comes is last', () => {
  expect(shown(['a', 'b', 'c'], ['a', 'c', 'd'])).toBe('a (b) c d');
});

test('no row moves when the list comes in another order', () => {
  expect(shown(['a', 'b', 'c'], ['c', 'new', 'b', 'a'])).toBe('a b c new');
});

test('an item that newer pages push behind the last one that was read has not left the list', () => {
  const isBeyond = (item: string) => item > 'c';
  const rows = nextRows(nextRows([], ['b', 'c', 'd'], keyOf), ['a', 'b'], keyOf, isBeyond);
  expect(rows.map(({ key, is_gone }) => (is_gone ? `(${key})` : key))).toEqual(['b', '(c)', 'd', 'a']);
});

test('what comes back is where it was', () => {
  expect(shown(['a', 'b'], ['b'], ['a', 'b'])).toBe('a b');
});

test('rows of the past are bounded: the oldest go first', () => {
  const many = Array.from({ length: 400 }, (_, at) => String(at));
  const rows = nextRows(nextRows([], many, keyOf), ['399'], keyOf);
  expect(rows).toHaveLength(301);
  expect(rows[0]?.key).toBe('99');
});
