import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OffsetTracker } from './offset-tracker.js';

test('everything below the lowest unfinished record is history, in any order of opening and acknowledgement', () => {
  const acts = fc.array(fc.record({ offset: fc.integer({ min: 0, max: 60 }), covers: fc.boolean() }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 }), acts, (start, list) => {
      const tracker = new OffsetTracker(start);
      const covered = new Set<number>();
      for (const { offset, covers } of list) {
        const done = offset < start || covered.has(offset);
        if (covers) {
          tracker.acknowledge(offset);
          covered.add(offset);
        } else expect(tracker.open(offset)).toBe(!done);
        let lowest = start;
        while (covered.has(lowest)) lowest++;
        expect(tracker.historyBelow).toBe(lowest);
      }
    }),
    { numRuns: 500 },
  );
});

test('it knows the lowest end above the history', () => {
  const tracker = new OffsetTracker(0);
  for (let offset = 0; offset < 5; offset++) tracker.open(offset);
  expect(tracker.lowestEndAbove()).toBe(Number.POSITIVE_INFINITY);
  tracker.acknowledge(3, 40);
  tracker.acknowledge(2, 70);
  expect(tracker.lowestEndAbove()).toBe(40);
  tracker.acknowledge(0, 10);
  tracker.acknowledge(1, 20);
  expect(tracker.historyBelow).toBe(4);
  expect(tracker.lowestEndAbove()).toBe(Number.POSITIVE_INFINITY);
});

test('it stays small over a million records', () => {
  const tracker = new OffsetTracker(0);
  for (let offset = 0; offset < 1_000_000; offset++) {
    tracker.open(offset);
    if (offset >= 100) tracker.acknowledge(offset - 100, offset);
  }
  expect(tracker.historyBelow).toBe(999_900);
  expect(tracker.lowestEndAbove()).toBe(Number.POSITIVE_INFINITY);
});
