import { expect, test } from 'vitest';
import { changeText, dollarText, shortDollars, timeText } from './amounts.js';

test.each([
  [0, '$0.00'],
  [0.00042, '$0.00042'],
  [0.05, '$0.05'],
  [12.345, '$12.35'],
  [1_234_567, '$1,234,567.00'],
])('%s dollars are %s', (value, text) => expect(dollarText(value)).toBe(text));

test('an axis has short amounts', () => expect([0.02, 3, 1_500].map(shortDollars)).toEqual(['$0.02', '$3.00', '$1.5K']));

test.each([
  [null, '–'],
  [0, '0 ms'],
  [0.42, '420 µs'],
  [12.44, '12.4 ms'],
  [345.6, '346 ms'],
  [1_240, '1.2 s'],
  [150_000, '2.5 min'],
])('%s ms are %s', (value, text) => expect(timeText(value)).toBe(text));

test.each([
  [12, 10, '+20 %'],
  [9, 10, '−10 %'],
  [10, 10, 'as before'],
  [5_000, 10, '500 times as much'],
  [5, 0, undefined],
  [null, 3, undefined],
])('%s after %s is %s', (now, before, text) => expect(changeText(now, before)).toBe(text));
