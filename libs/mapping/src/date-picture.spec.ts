import { describe, expect, test } from 'vitest';
import { pictureFault } from './date-picture.js';
import { Expression } from './expression.js';

const evaluate = (text: string, input: unknown) => new Expression(text).evaluate(input, {});

describe('$toMillis', () => {
  test.each([
    ['2017-10-30T16:25:32.935Z', undefined, 1509380732935],
    ['2026-03-01', '[Y0001]-[M01]-[D01]', Date.UTC(2026, 2, 1)],
    ['20260301', '[Y0001][M01][D01]', Date.UTC(2026, 2, 1)],
    ['1 March 2026', '[D] [MNn] [Y]', Date.UTC(2026, 2, 1)],
    ['2026-03-01T10:00:00+0100', '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01][Z0101]', Date.UTC(2026, 2, 1, 9)],
    ['1st/3/2026', '[D1o]/[M]/[Y]', Date.UTC(2026, 2, 1)],
  ])('%s by %s', async (at, picture, expected) => {
    expect(await evaluate(picture === undefined ? '$toMillis(at)' : '$toMillis(at, picture)', { at, picture })).toBe(expected);
    expect(await evaluate('at.$toMillis()', { at: '2026-03-01T00:00:00Z' })).toBe(Date.UTC(2026, 2, 1));
  });

  test('returns nothing for no value', async () => {
    expect(await evaluate('$toMillis(missing)', {})).toBeUndefined();
  });
});

describe('a picture that can match a text in many ways is refused before V8 evaluates it', () => {
  const letters = `${'a'.repeat(90)}!`;
  test.each([
    ['[MNn][MNn][MNn][MNn][MNn][MNn][MNn][MNn][MNn][MNn]', '[MNn] is followed by [MNn]'],
    ['[f][f][f][f][f][f]', '[f] is followed by [f]'],
    ['[f]1[f]1[f]', '[f] is followed by 1[f]1[f]'],
    ['[Y01]1[Y01]1[Y01]', '[Y01] is followed by 1[Y01]1['],
    ['[MNn]a[MNn]', '[MNn] is followed by a[MNn]'],
    ['[Yw] [Yw] [Yw]', 'the picture has [Yw]'],
    ['[YI]', 'the picture has [YI]'],
    ['[Y0001][MNn][D01][MNn][MNn]', '[MNn] is followed by [D01]'],
  ])('%s', async (picture, why) => {
    expect(pictureFault(letters, picture)).toContain(why);
    await expect(evaluate('$toMillis(at, picture)', { at: letters, picture })).rejects.toThrow(`$toMillis: ${why}`);
    await expect(evaluate('($read := $toMillis; $read(at, picture))', { at: letters, picture })).rejects.toThrow(why);
  });

  test('a text longer than a date is refused too', async () => {
    await expect(evaluate('$toMillis(at)', { at: '2'.repeat(101) })).rejects.toThrow('at most 100 characters, this one has 101');
  });
});
