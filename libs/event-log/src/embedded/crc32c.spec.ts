import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from './crc32c.js';

/** The definition, bit by bit. */
function slow(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

test('returns the check values of RFC 3720', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
  expect(crc32c(Buffer.from(Array.from({ length: 32 }, (_, at) => at)))).toBe(0x46dd794e);
});

test('equals the definition for any bytes and any range of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), fc.nat(100), (bytes, a, b) => {
      const [start, end] = [Math.min(a, b, bytes.length), Math.min(Math.max(a, b), bytes.length)];
      expect(crc32c(bytes, start, end)).toBe(slow(bytes.subarray(start, end)));
    }),
  );
});
