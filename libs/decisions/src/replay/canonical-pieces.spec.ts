import { canonicalText } from '@countersign/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalPieces } from './canonical-pieces.js';

test('pieces are together the canonical text, however deep it is cut', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(5), (value, levels) => {
      const plain = JSON.parse(JSON.stringify(value)) as object;
      expect([...canonicalPieces(plain, () => levels)].join('')).toBe(canonicalText(plain));
    }),
    { numRuns: 300 },
  );
});

test('members that are not there are left out, and elements that are not there are null', () => {
  const value = { b: undefined, a: [1, undefined], c: { d: undefined } };
  expect([...canonicalPieces(value, () => 2)].join('')).toBe('{"a":[1,null],"c":{}}');
});
