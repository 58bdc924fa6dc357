import { expect, test } from 'vitest';
import { waitForOthers, waitOf } from './preferences.js';

test.each([
  [undefined, 30_000],
  ['wait=0', 0],
  ['wait=10', 10_000],
  ['respond-async, wait=5', 5_000],
  ['respond-async', 0],
  ['wait=600', 60_000],
  ['return=minimal', 30_000],
])('Prefer: %s waits %d ms', (prefer, wait_ms) => {
  expect(waitOf(prefer)).toBe(wait_ms);
});

test.each([
  [undefined, 1_000],
  ['wait=0', 0],
  ['wait=20', 20_000],
  ['respond-async', 0],
  ['wait=600', 60_000],
])('under Prefer: %s a change waits %d ms for the instances, and a read as long for the views', (prefer, wait_ms) => {
  expect(waitForOthers(prefer)).toBe(wait_ms);
});
