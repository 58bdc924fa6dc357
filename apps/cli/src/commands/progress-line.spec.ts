import { expect, test } from 'vitest';
import { progressLine } from './progress-line.js';

test('a bar shows the share done and the estimated rest at the pace so far', () => {
  expect(progressLine(250_000, 1_000_000, 10_000)).toBe(
    '[#######.......................]  25.0 %  250000 of 1000000 records, 25000/s, 30 s left',
  );
  expect(progressLine(10, 1_000_000, 10_000)).toContain('277 h 46 min left');
});

test('before the start there is no pace, and nothing divides by zero', () => {
  expect(progressLine(0, 0, null)).toBe('[..............................]   0.0 %  0 of 0 records');
  expect(progressLine(0, 100, 500)).toBe('[..............................]   0.0 %  0 of 100 records');
  expect(progressLine(120, 100, 1_000)).toContain('[##############################] 100.0 %');
});
