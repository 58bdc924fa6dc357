import { expect, test } from 'vitest';
import { rowAfter } from './row-keys.js';

test.each([
  ['j', -1, 3, 0],
  ['j', 0, 3, 1],
  ['j', 2, 3, undefined],
  ['ArrowUp', 0, 3, undefined],
  ['k', -1, 3, 0],
  ['k', 2, 3, 1],
  ['End', 0, 3, 2],
  ['Home', 2, 3, 0],
  ['x', 0, 3, undefined],
  ['j', -1, 0, undefined],
])('%s from row %d of %d leads to %s', (key, selected, count, row) => {
  expect(rowAfter(key, selected, count)).toBe(row);
});
