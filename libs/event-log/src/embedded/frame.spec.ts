import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameBytesMax, frameEnd, frameFault, frameOffset, frameStream, putFrame, takeFrame } from './frame.js';

const record = fc.record({
  topic: fc.constant('t'),
  partition: fc.constant(3),
  key: fc.option(fc.string({ unit: 'binary', maxLength: 90 })),
  value: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  headers: fc.dictionary(
    fc.string({ maxLength: 80 }).filter((name) => name !== '__proto__'),
    fc.string({ unit: 'grapheme', maxLength: 90 }),
    { maxKeys: 5, noNullPrototype: true },
  ),
  offset: fc.maxSafeNat().map((n) => n % 2 ** 48),
  timestamp_ms: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
});

test('a record is restored from its frame, which never exceeds its size bound', () => {
  fc.assert(
    fc.property(record, fc.nat(70_000), (entry, stream) => {
      const into = Buffer.alloc(5 + frameBytesMax(entry));
      const end = putFrame(into, 5, stream, entry);
      expect(end).toBeLessThanOrEqual(into.length);
      expect([frameEnd(into, 5), frameStream(into, 5), frameOffset(into, 5)]).toEqual([end, stream, entry.offset]);
      expect(takeFrame(into, 5, 't', 3)).toEqual(entry);
    }),
  );
});

test('a value that the format cannot hold is named before it is written', () => {
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`h${at}`, '']));
  expect(frameFault({ key: 'k'.repeat(20_000), headers: headers(255) })).toBeNull();
  expect(frameFault({ key: 'k'.repeat(20_001), headers: {} })).toContain('the key has 20001 characters');
  expect(frameFault({ key: null, headers: { long: 'x'.repeat(20_001) } })).toContain('header long');
  expect(frameFault({ key: null, headers: headers(256) })).toContain('256 headers');
});
