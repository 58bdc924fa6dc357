import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { marked, markOf, marksIn, unmarked } from './attempt-mark.js';

test('a mark is the key itself in 22 characters', () => {
  const key = '0f8fad5b-d9cb-469f-a165-70867728950e';
  expect(Buffer.from(markOf(key), 'base64url').toString('hex')).toBe(key.replaceAll('-', ''));
  expect(new Set(Array.from({ length: 1000 }, () => markOf(randomUUID()))).size).toBe(1000);
});

test('a key that is not a UUID gets a mark of the same length', () => {
  expect(markOf('anything else')).toMatch(/^[\w-]{22}$/);
});

test('a reference keeps the words of people and ends with the mark', () => {
  const key = randomUUID();
  expect(marked('Q-17', key)).toBe(`Q-17 cs:${markOf(key)}`);
  expect(marked('', key)).toBe(`cs:${markOf(key)}`);
  expect(unmarked(marked('Q-17', key))).toBe('Q-17');
});

test('an agent cannot write the mark of another attempt into a reference', () => {
  const [own, other] = [randomUUID(), randomUUID()];
  expect(marksIn(marked(`Q-17 cs:${markOf(other)} cs:${markOf(other)}`, own))).toEqual([markOf(own)]);
});

test('what is longer or shorter than a mark is text', () => {
  expect(marksIn(`cs:short cs:${'x'.repeat(23)} acs:${'x'.repeat(22)}`)).toEqual([]);
});
