import { canonicalText } from '@countersign/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalPieces } from './canonical-pieces.js';

test('the joined pieces equal the canonical text, at any depth', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(5), (value, levels) => {
      const plain = JSON.parse(JSON.stringify(value)) as object;
      expect([...canonicalPieces(plain, () => levels)].join('')).toBe(canonicalText(plain));
    }),
    { numRuns: 300 },
  );
});

test('missing members are omitted, and missing elements are null', () => {
  const value = { b: undefined, a: [1, undefined], c: { d: undefined } };
  expect([...canonicalPieces(value, () => 2)].join('')).toBe('{"a":[1,null],"c":{}}');
});
