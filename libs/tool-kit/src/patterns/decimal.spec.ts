import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compare, dividedBy, fractionOf, plus, textOf, times } from './decimal.js';

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.integer({ min: 0, max: 9 }))
  .map(([whole, digits]) => textOf({ over: whole, under: 10n ** BigInt(digits) }, digits).text);

test('a decimal is read and written without loss', () => {
  fc.assert(fc.property(decimal, (text) => void expect(textOf(fractionOf(text), 18)).toEqual({ text, exact: true })));
});

test('sums and products are exact where binary numbers are not', () => {
  expect(textOf(plus(fractionOf('0.1'), fractionOf('0.2')), 18).text).toBe('0.3');
  expect(textOf(times(fractionOf('1.1'), fractionOf('1.1')), 18).text).toBe('1.21');
});

test('division is the inverse of multiplication, for any sign', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      fc.pre(b !== '0');
      const back = times(dividedBy(fractionOf(a), fractionOf(b)), fractionOf(b));
      expect(compare(back, fractionOf(a))).toBe(0);
    }),
  );
});

test.each([
  ['0.125', 2, '0.12', false],
  ['0.135', 2, '0.14', false],
  ['-0.125', 2, '-0.12', false],
  ['-0.004', 2, '0', false],
  ['2.50', 2, '2.5', true],
  ['9.999', 2, '10', false],
])('%s with %i digits is %s', (text, digits, rounded, exact) => {
  expect(textOf(fractionOf(text), digits)).toEqual({ text: rounded, exact });
});

test('text that is not a decimal, and division by zero, are refused', () => {
  expect(() => fractionOf('1e3')).toThrow(TypeError);
  expect(() => dividedBy(fractionOf('1'), fractionOf('0'))).toThrow(RangeError);
});
