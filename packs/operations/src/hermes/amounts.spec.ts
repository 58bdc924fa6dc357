import { expect, test } from 'vitest';
import { amountOf, centsOf, totalOf } from './amounts.js';

test('totals are exact where floating point is not', () => {
  expect(totalOf([{ quantity: 3, unit_price: '0.10' }])).toBe('0.30');
  expect(totalOf([{ quantity: 1_000_000, unit_price: '9999999999.99' }])).toBe('9999999999990000.00');
  expect(totalOf([])).toBe('0.00');
});

test.each(['0.00', '0.05', '12.50', '9999999999.99'])('%s survives the way to cents and back', (amount) => {
  expect(amountOf(centsOf(amount))).toBe(amount);
});
