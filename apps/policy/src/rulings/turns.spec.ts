import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TURN_CHARS_MAX, turnsOf } from './turns.js';

test('every question is decided once, in order, and only a single large question exceeds the turn limit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2 * TURN_CHARS_MAX)), (sizes) => {
      const turns = turnsOf(sizes, (size) => size);
      expect(turns.flat()).toEqual(sizes);
      for (const turn of turns) expect(turn.length === 1 || turn.reduce((sum, size) => sum + size, 0) <= TURN_CHARS_MAX).toBe(true);
      for (const [at, turn] of turns.slice(1).entries())
        expect((turns[at] as number[]).reduce((sum, size) => sum + size, 0) + (turn[0] as number)).toBeGreaterThan(TURN_CHARS_MAX);
    }),
  );
});

test('small questions are one turn, without a copy', () => {
  const sizes = [10, 20, 30];
  expect(turnsOf(sizes, (size) => size)).toEqual([sizes]);
  expect(turnsOf(sizes, (size) => size)[0]).toBe(sizes);
});
