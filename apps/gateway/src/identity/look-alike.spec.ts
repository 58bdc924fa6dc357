import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lookAlikeIssue, skeletonOf } from './look-alike.js';

const looksLike = (one: string, other: string): boolean => skeletonOf(one) === skeletonOf(other);

describe('ids that a person cannot distinguish have the same skeleton', () => {
  test.each([
    ['case', 'alice', 'Alice'],
    ['case', 'BILL', 'bill'],
    ['a space at the end', 'alice', 'alice '],
    ['a space inside', 'alice b', 'aliceb'],
    ['another space', 'alice b', 'alice\u00a0b'],
    ['a zero-width space', 'alice', 'ali\u200bce'],
    ['a zero-width joiner', 'alice', 'ali\u200dce'],
    ['a soft hyphen', 'alice', 'ali\u00adce'],
    ['a byte order mark', 'alice', '\ufeffalice'],
    ['a variation selector', 'alice', 'alice\ufe0f'],
    ['a right-to-left mark', 'alice', 'alice\u200f'],
    ['a tag character', 'alice', 'alice\u{e0061}'],
    ['full width', 'alice', 'ａｌｉｃｅ'],
    ['mathematical letters', 'alice', '𝒶𝓁𝒾𝒸ℯ'],
    ['mixed scripts (Cyrillic а)', 'alice', '\u0430lice'],
    ['one other script alone (Cyrillic)', 'scope', '\u0455\u0441\u043e\u0440\u0435'],
    ['Greek', 'AB', '\u0391\u0392'],
    ['digits for letters', 'alice-01', 'a1ice-o1'],
    ['I for l', 'alice', 'aIice'],
    ['rn for m', 'modern', 'rnodern'],
    ['a ligature', 'office', 'o\ufb03ce'],
    ['a composed letter', 'caf\u00e9', 'cafe\u0301'],
    ['a long hyphen', 'a-b', 'a\u2010b'],
  ])('%s: %s and %s', (_what, one, other) => {
    expect(one).not.toBe(other);
    expect(looksLike(one, other)).toBe(true);
  });
});

test.each([
  ['ann', 'anna'],
  ['bot-1', 'bot-2'],
  ['bot-10', 'bot-100'],
  ['reviewer-a', 'reviewer-b'],
  ['ann@example.com', 'ann@example.org'],
  ['a-b', 'a_b'],
  ['\u4e2d\u6587', '\u65e5\u672c'],
  ['\u0430\u043d\u043d\u0430', '\u043e\u043b\u044c\u0433\u0430'],
])('%s and %s are distinct', (one, other) => expect(looksLike(one, other)).toBe(false));

test('invisible characters, another case or another notation never change the skeleton', () => {
  const unseen = fc.constantFrom('', ' ', '\u200b', '\u00ad', '\u2060', '\ufe0f', '\u180e', '\u3164');
  const ascii = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@'),
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(ascii, fc.array(unseen, { maxLength: 14 }), (id, between) => {
      const stuffed = [...id].map((one, at) => (between[at] ?? '') + one).join('');
      for (const other of [stuffed, id.toUpperCase(), id.toLowerCase(), id.normalize('NFD')])
        expect(skeletonOf(other)).toBe(skeletonOf(id));
    }),
  );
});

test('a refusal shows the existing id in code points; an existing id is never refused', () => {
  const there = ['alice', '\u0430lice'];
  expect(lookAlikeIssue('/principal/id', 'the principal', 'ALICE', there)).toMatchObject({ path: '/principal/id', code: 'looks_alike' });
  expect(lookAlikeIssue('/principal/id', 'the principal', 'ALICE', ['\u0430lice'])?.message).toContain('"\\u{430}lice"');
  expect(lookAlikeIssue('/principal/id', 'the principal', 'alice', there)).toBeUndefined();
  expect(lookAlikeIssue('/principal/id', 'the principal', '\u0430lice', there)).toBeUndefined();
  expect(lookAlikeIssue('/principal/id', 'the principal', 'bob', there)).toBeUndefined();
});
