import { expect, test } from 'vitest';
import { prototypeKey, tooDeep } from './json-hazards.js';

const nested = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`);

test('a value of 64 levels is taken; one of 66, or beyond the recursion limit, is not, and its path is named', () => {
  expect(tooDeep(nested(64))).toBeUndefined();
  expect(tooDeep(nested(66))).toMatchObject({ path: '/a/0'.repeat(32), code: 'too_deep' });
  expect(tooDeep(JSON.parse('['.repeat(400_000) + ']'.repeat(400_000)))?.path.startsWith('/0/0')).toBe(true);
  expect(tooDeep({ wide: Array.from({ length: 20_000 }, () => ({ a: [1] })) })).toBeUndefined();
  for (const plain of [null, 'text', 1, undefined]) expect(tooDeep(plain)).toBeUndefined();
});

test('a key that could pollute a prototype is named by its path', () => {
  expect(prototypeKey(JSON.parse('{"a":[{"__proto__":{}}]}'))).toMatchObject({ path: '/a/0/__proto__', code: 'prototype_key' });
  expect(prototypeKey({ constructor: { prototype: {} } })).toMatchObject({ path: '/constructor' });
  for (const plain of [{ constructor: 'x', prototype: 1 }, null, 'text']) expect(prototypeKey(plain)).toBeUndefined();
});
