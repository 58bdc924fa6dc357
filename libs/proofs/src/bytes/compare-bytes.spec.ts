import { compareBytes } from '@countersign/verifier';
import fc from 'fast-check';
import { expect, test } from 'vitest';

test('texts are in the order of their UTF-8 bytes, also beyond the basic plane and with half a pair', () => {
  const units = fc.array(fc.constantFrom(0x00, 0x41, 0x61, 0xe9, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff), { maxLength: 4 });
  const text = units.map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 2_000 },
  );
});
