import { expect, test } from 'vitest';
import { busyCase, CALLS, decidedAgain, writtenBundle } from '../testing/busy-case.js';

const world = busyCase();

// bench/claims.mjs measures how long a step takes; this test checks the number of steps.
test('deciding a large case again takes a step per record and world, and a step per compared call', () => {
  const question = decidedAgain(world);
  let steps = 1;
  while (question.step()) steps++;
  expect(question.answer()).toMatchObject({ calls: CALLS, unknown: 0 });
  // Each call was requested, ruled and ended, with and without the change.
  expect(steps).toBeGreaterThan(2 * 3 * CALLS + CALLS);
});

test('a replay bundle is built one call at a time and written one record or message at a time, always with the same bytes', () => {
  const pieces = [...writtenBundle(world)];
  const text = pieces.join('');
  expect(text.length).toBeGreaterThan(1_000_000);
  expect(pieces.filter((piece) => piece === '').length).toBeGreaterThan(CALLS);
  // The largest record is a table of 4,000 rows.
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(65_536);
  expect([...writtenBundle(world)].join('')).toBe(text);
});
