import { expect, test } from '@jest/globals';
import { anyCase, linesMatching } from './line-search.js';

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
  expect(anyCase(text)(line)).toBe(at);
});

test('a long line is shown around its match, also behind letters that are longer in lower case', () => {
  const line = `${'İ'.repeat(1_000)}needle`;
  expect(linesMatching(line, 1, anyCase('NEEDLE'))).toEqual([{ line: 1, column: 1_001, text: expect.stringMatching(/needle$/) }]);
});
