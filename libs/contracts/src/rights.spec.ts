import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intersectRights, lacking, type Rights, union } from './rights.js';

const list = fc.subarray(['a', 'b', 'c', 'd', '*']);
const rights: fc.Arbitrary<Rights> = fc.record({
  scopes: fc.option(list, { nil: null }),
  clearances: list,
  purposes: fc.option(list, { nil: null }),
});
const wanted = fc.subarray(['a', 'b', 'c', 'd', 'e']);

test('two principals together may only do what each of them may', () => {
  fc.assert(
    fc.property(rights, rights, wanted, (a, b, requested) => {
      const common = intersectRights(a, b);
      for (const kind of ['scopes', 'clearances', 'purposes'] as const)
        expect(new Set(lacking(requested, common[kind]))).toEqual(
          new Set([...lacking(requested, a[kind]), ...lacking(requested, b[kind])]),
        );
    }),
  );
});

test('no list means no limit, an empty list allows nothing, a star allows everything', () => {
  expect([lacking(['a'], null), lacking(['a'], []), lacking(['a'], ['*']), lacking(['a', 'b'], ['b'])]).toEqual([[], ['a'], [], ['a']]);
});

test('a union contains each value once', () => {
  expect(union(['a', 'b'], ['b', 'c'])).toEqual(['a', 'b', 'c']);
});
