import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limitOutput } from './output-limit.js';

test('what fits is recorded as it is', () => {
  expect(limitOutput({ a: 1 }, 100)).toEqual({ output_json: '{"a":1}', truncated: false });
  expect(limitOutput(undefined, 100)).toEqual({ output_json: 'null', truncated: false });
});

test('the longest string is cut, never inside a character, and the result fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 100, maxLength: 400 }), fc.string({ maxLength: 20 }), (long, short) => {
      const limited = limitOutput({ short, long }, 90);
      if (limited.output_json === null) return;
      expect(Buffer.byteLength(limited.output_json)).toBeLessThanOrEqual(90);
      expect(limited.truncated).toBe(true);
      expect(JSON.stringify(JSON.parse(limited.output_json))).not.toContain('\ufffd'.repeat(2));
    }),
  );
});

test('what has no string to cut is left out', () => {
  expect(
    limitOutput(
      Array.from({ length: 100 }, () => 1),
      50,
    ),
  ).toEqual({ output_json: null, truncated: true });
});
