import { expect, test } from 'vitest';
import { byUse, gaugeOf } from './gauge.js';

test.each([
  [0, 100, 0, 'good', '0 of 100', '0 %'],
  [79, 100, 0.79, 'good', '79 of 100', '79 %'],
  [80, 100, 0.8, 'warn', '80 of 100', '80 %'],
  [99.999, 100, 0.99999, 'warn', '99.999 of 100', '99 %'],
  [100, 100, 1, 'bad', '100 of 100', 'full'],
  [250, 100, 1, 'bad', '250 of 100', 'over'],
  [0, 0, 1, 'bad', '0 of 0', 'full'],
  [-3, 10, 0, 'good', '0 of 10', '0 %'],
  [Number.NaN, 10, 0, 'good', '0 of 10', '0 %'],
  [1234567.891, 1e9, 0.001234567891, 'good', '1,234,567.891 of 1,000,000,000', '0 %'],
])('%d of %d', (used, max, share, tone, text, word) => {
  expect(gaugeOf({ used, max })).toEqual({ share: expect.closeTo(share, 9), tone, text, word });
});

test('without a maximum there is nothing to measure against', () => {
  expect(gaugeOf({ used: 5, max: null })).toBeUndefined();
  expect(gaugeOf({ used: 5, max: Number.NaN })).toBeUndefined();
});

test('the fullest counters come first', () => {
  const counter = (subject: string, used: number, max: number | null) => ({ subject, used, max, per: '' });
  const sorted = byUse([counter('a', 1, 10), counter('b', 9, 10), counter('c', 5, null), counter('d', 0, 0)]);
  expect(sorted.map(({ subject }) => subject)).toEqual(['d', 'b', 'a', 'c']);
});
