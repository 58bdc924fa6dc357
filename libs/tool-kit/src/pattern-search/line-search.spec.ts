import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCase, asWritten, type LineMatcher, searchLines } from './line-search.js';

const START = { at: 0, line: 0 };
const never = () => false;
const found = (text: string, limit: number, matcher: LineMatcher) => searchLines(Buffer.from(text), START, matcher, limit, never).hits;

test.each([
  ['İİİ needle', 'NEEDLE', 4],
  ['\u{1F9FE}İ needle', 'needle', 4],
  ['ab İ', 'i', 3],
  ['İstanbul', 'STANBUL', 1],
  ['İ\u0307x', '\u0307', 0],
  ['ΟΔΟΣ needle', 'needle', 5],
  ['needle', 'Needle', 0],
  ['İ none', 'needle', -1],
])('in %j the text %j, in any case, is at %i of the line as it stands', (line, text, at) => {
  expect(anyCase(text).at(line)).toBe(at);
});

test('a long line is cut around its match, also after letters that are longer in lower case', () => {
  const line = `${'İ'.repeat(1_000)}needle`;
  expect(found(line, 1, anyCase('NEEDLE'))).toEqual([{ line: 1, column: 1_001, text: expect.stringMatching(/needle$/) }]);
});

test('a search finds the same lines with and without a first pass over the bytes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r', 'é', '\ud800') });
  fc.assert(
    fc.property(text, fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 3 }), (haystack, needle) => {
      const matcher = asWritten(needle);
      expect(matcher.needle).toBeDefined();
      expect(found(haystack, 100, matcher)).toEqual(found(haystack, 100, { at: matcher.at }));
    }),
  );
});

test('a search that pauses after each line finds the same as one that does not', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '\n') }), fc.integer({ min: 1, max: 5 }), (text, limit) => {
      const bytes = Buffer.from(text);
      for (const matcher of [asWritten('a'), anyCase('A'), { at: () => 0 }]) {
        const hits = [];
        for (let from: typeof START | undefined = START; from; ) {
          const { hits: some, cursor }: ReturnType<typeof searchLines> = searchLines(bytes, from, matcher, limit - hits.length, () => true);
          hits.push(...some);
          from = cursor;
        }
        expect(hits).toEqual(found(text, limit, matcher));
      }
    }),
  );
});
