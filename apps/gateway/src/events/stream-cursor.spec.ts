import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogLayout } from './log-layout.js';
import { parseStreamCursor, streamCursorText } from './stream-cursor.js';

const logOf = (first: string, partitions = 4) => ({
  partitions: () => partitions,
  read: async () => [{ value: Buffer.from(first) }] as never,
});
const layout = await LogLayout.of(logOf('one'), ['shared']);
const size = layout.slots.length;

test('a cursor is read as it was written', () => {
  const place = fc.array(
    fc.nat({ max: Number.MAX_SAFE_INTEGER }).map((n) => n % 2 ** 50),
    { minLength: size, maxLength: size },
  );
  const part = fc.option(fc.record({ slot: fc.nat(size - 1), items: fc.integer({ min: 1, max: 600 }) }), { nil: undefined });
  fc.assert(
    fc.property(place, part, (at, within) => {
      const cursor = within ? { place: at, part: within } : { place: at };
      expect(parseStreamCursor(layout, streamCursorText(layout, cursor))).toEqual(cursor);
    }),
  );
});

test('a cursor of another log, of other lanes or of other partitions is no cursor of this installation', async () => {
  const others = [
    await LogLayout.of(logOf('two'), ['shared']),
    await LogLayout.of(logOf('one'), ['shared', 'gold']),
    await LogLayout.of(logOf('one', 8), ['shared']),
  ];
  for (const other of others) {
    const text = streamCursorText(other, { place: other.slots.map(() => 1) });
    expect(parseStreamCursor(layout, text)).toBe('other_installation');
  }
});

test('any other text is malformed, and none throws', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([Buffer.from([1]), layout.tag, bytes]).toString('base64url')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseStreamCursor(layout, text);
      if (typeof parsed === 'string') return;
      expect(parsed.place).toHaveLength(size);
      expect(parsed.place.every((next) => Number.isSafeInteger(next) && next >= 0)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(parseStreamCursor(layout, 'A'.repeat(20_000))).toBe('malformed');
});
