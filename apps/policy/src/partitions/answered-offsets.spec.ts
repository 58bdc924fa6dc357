import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnsweredOffsets } from './answered-offsets.js';

test('it contains exactly the added offsets, from its first one on', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.array(fc.nat(5000)), (from, offsets) => {
      const answered = new AnsweredOffsets(from);
      for (const offset of offsets) answered.add(offset);
      const kept = new Set(offsets.filter((offset) => offset >= from));
      const known = Array.from({ length: 5200 }, (_, offset) => offset).filter((offset) => answered.has(offset));
      expect(known).toEqual([...kept].sort((a, b) => a - b));
      expect(answered.end).toBe(kept.size === 0 ? 0 : Math.max(...kept) + 1);
    }),
    { numRuns: 30 },
  );
});
