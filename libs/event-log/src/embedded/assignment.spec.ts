import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assign } from './assignment.js';

test('every partition goes to exactly one member, and shares differ by at most one', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.array(fc.array(fc.nat(14)), { minLength: 1, maxLength: 6 }), (count, had) => {
      const seen = new Set<number>();
      const owned = had.map((list) => new Set(list.filter((partition) => !seen.has(partition) && seen.add(partition))));
      const result = assign(count, owned);
      expect(result.flatMap((set) => [...set]).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, at) => at));
      const sizes = result.map(({ size }) => size);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});

test('only the partitions that must move do so', () => {
  expect(assign(4, [new Set([0, 1, 2, 3]), new Set()])).toEqual([new Set([0, 1]), new Set([2, 3])]);
  expect(assign(4, [new Set([0, 1]), new Set([2, 3])])).toEqual([new Set([0, 1]), new Set([2, 3])]);
  expect(assign(4, [new Set([1]), new Set([2]), new Set([3])])).toEqual([new Set([1, 0]), new Set([2]), new Set([3])]);
  expect(assign(3, [new Set([2]), new Set([0, 1])])).toEqual([new Set([2]), new Set([0, 1])]);
  expect(assign(3, [])).toEqual([]);
});
