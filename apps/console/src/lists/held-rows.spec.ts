import { expect, test } from 'vitest';
import { heldRows } from './held-rows.js';

const of = (rows: string, known: string) => {
  const { shown, held } = heldRows([...rows], (row) => row, new Set(known));
  return `${held} ${shown.join('')}`;
};

test('new rows at the top wait until a person asks for them', () => expect(of('xyabc', 'abc')).toBe('2 abc'));
test('rows at the end are shown: the person loaded them', () => expect(of('abcde', 'abc')).toBe('0 abcde'));
test('a row that no longer matches the filters disappears, also the first one', () => expect(of('xbc', 'abc')).toBe('1 bc'));
test('a list that has turned over is shown', () => expect(of('xyz', 'abc')).toBe('0 xyz'));
test('the first reading is shown', () => expect(of('abc', '')).toBe('0 abc'));
test('an empty list has no rows', () => expect(of('', 'abc')).toBe('0 '));
