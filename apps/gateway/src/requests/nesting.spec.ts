import { expect, test } from 'vitest';
import { tooDeep } from './nesting.js';

const nested = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`);

test('a body of 64 levels is read; one of 66, or beyond the recursion limit, is refused with its path', () => {
  expect(tooDeep(nested(64))).toBeUndefined();
  expect(tooDeep(nested(66))?.more.issues).toMatchObject([{ path: '/a/0'.repeat(32), code: 'too_deep' }]);
  expect(tooDeep(JSON.parse('['.repeat(400_000) + ']'.repeat(400_000)))?.more.issues?.[0]?.path.startsWith('/0/0')).toBe(true);
  expect(tooDeep({ wide: Array.from({ length: 20_000 }, () => ({ a: [1] })) })).toBeUndefined();
  for (const plain of [null, 'text', 1, undefined]) expect(tooDeep(plain)).toBeUndefined();
});
