import { describe, expect, test } from 'vitest';
import { RegexEngine } from './regex-engine.js';
import { regexPattern } from './search-pattern.js';

const pattern = (source: string) => regexPattern(source, false, '/query');
const refusal = (source: string) => {
  try {
    pattern(source);
  } catch (error) {
    return error;
  }
  return undefined;
};
const compiled = (source: string) => new RegexEngine().regex(pattern(source));

describe('a pattern that needs backtracking is refused with its position', () => {
  test.each([
    ['(?=a)b', 'lookaround', '(?=', 0],
    ['a(?!b)', 'lookaround', '(?!', 1],
    ['ab(?<=b)', 'lookaround', '(?<=', 2],
    ['[(]](?<!b)', 'lookaround', '(?<!', 4],
    ['(a)\\1', 'backreference', '\\1', 3],
    ['(?<n>a)\\k<n>', 'backreference', '\\k', 7],
    ['(?P<n>a)(?P=n)', 'backreference', '(?P=', 8],
  ])('%s', (source, reason, found, at) => {
    expect(refusal(source)).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(`at character ${at + 1}; RE2 patterns do not support it: `),
      more: { class: 'validation', effect: 'none', details: { path: '/query', reason, found, at } },
    });
  });

  test.each(['\\(?=a', '[(?=]', '[^](?=]', '[]\\1]', '\\Q(?=a)\\1\\E', '\\\\1', '(?<n>a)', '(?i:a)', '(?:a)', '\\Q(?='])(
    '%s has no such part',
    (source) => {
      expect(refusal(source)).toBeUndefined();
    },
  );
});

test('a pattern without operators is a plain text', () => {
  expect(pattern('plain text: 100% "quoted"')).toMatchObject({ kind: 'text' });
  for (const source of ['a.b', 'a\\b', '^a', 'a|b', '[a]', 'a{2}', '(a)']) expect(pattern(source)).toMatchObject({ kind: 'regex' });
});

test('a pattern that is too long is refused', () => {
  expect(refusal('a'.repeat(501))).toMatchObject({ more: { details: { reason: 'too_long' } } });
});

test.each([
  ['(a{1,1000}){1,1000}', 'too_large'],
  ['((a{0,30}){0,30}){0,30}', 'too_large'],
  ['a{1001}', 'too_large'],
  [Array.from({ length: 40 }, (_, n) => `a{1,${900 + n}}`).join(''), 'too_large'],
  ['(', 'not_a_pattern'],
  ['[z-a]', 'not_a_pattern'],
  ['\\u0041', 'not_a_pattern'],
  ['*a', 'not_a_pattern'],
])('%s is not compiled: %s', (source, reason) => {
  expect(compiled(source)).toMatchObject({ reason, message: expect.any(String), found: expect.any(String) });
});

test.each([
  ['b+', 'abbb', 1],
  ['^b', 'ab', -1],
  ['(?:x|(y)z)$', 'xyz', 1],
  ['\\bcat\\b', 'concat cat', 7],
  ['(a+)+$', `${'a'.repeat(5_000)}!`, -1],
])('%s in %j begins at %i', (source, text, at) => {
  const regex = compiled(source);
  expect('test' in regex && regex.at(text)).toBe(at);
});
