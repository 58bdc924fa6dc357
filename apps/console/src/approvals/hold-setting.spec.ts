import { expect, test } from 'vitest';
import { readHoldSeconds, writeHoldSeconds } from './hold-setting.js';

const stored = (text: string | null) => ({ getItem: () => text });

test.each([
  [null, 5],
  ['', 5],
  ['0', 0],
  ['30', 30],
  ['31', 5],
  ['-1', 5],
  ['2.5', 5],
  ['soon', 5],
])('a stored %j holds %i s', (text, seconds) => {
  expect(readHoldSeconds(stored(text))).toBe(seconds);
});

test('what is stored is in its bounds', () => {
  const written: string[] = [];
  for (const seconds of [-5, 7, 99]) writeHoldSeconds(seconds, { setItem: (_key, text) => void written.push(text) });
  expect(written).toEqual(['0', '7', '30']);
});
