import { testContext } from '@countersign/tool-kit/test-context';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globOf } from './glob.js';

async function matches(glob: string, paths: readonly string[]): Promise<boolean[]> {
  const ctx = testContext();
  const search = await ctx.patterns.open(ctx);
  try {
    const { pattern, negated } = globOf(glob, '/pattern');
    return (await search.whole(pattern, paths)).map((hit) => hit !== negated);
  } finally {
    await search.close();
  }
}

const paths = [
  'a',
  'a.md',
  '.md',
  'b.ts',
  'docs/a.md',
  'docs/b/a.md',
  'docs/b/c/a.md',
  'docs',
  'a1',
  'a12',
  'a-b',
  '(a|b)',
  '+(a)',
  'a{b}',
  'a[b',
  'x\ny',
  '[',
  '!a',
];

describe('a glob matches', () => {
  test.each([
    ['*', ['a', 'a.md', '.md', 'b.ts', 'docs', 'a1', 'a12', 'a-b', '(a|b)', '+(a)', 'a{b}', 'a[b', 'x\ny', '[', '!a']],
    ['**', paths],
    ['**/*.md', ['a.md', '.md', 'docs/a.md', 'docs/b/a.md', 'docs/b/c/a.md']],
    ['*.md', ['a.md', '.md']],
    ['docs/*.md', ['docs/a.md']],
    ['docs/**', ['docs/a.md', 'docs/b/a.md', 'docs/b/c/a.md', 'docs']],
    ['docs/**/a.md', ['docs/a.md', 'docs/b/a.md', 'docs/b/c/a.md']],
    ['docs/**.md', ['docs/a.md']],
    ['**/b/**', ['docs/b/a.md', 'docs/b/c/a.md']],
    ['{a,b}.{md,ts}', ['a.md', 'b.ts']],
    ['{docs/{b,x},.}/a.md', ['docs/b/a.md']],
    ['a{1..3}', ['a1']],
    ['a{10..12}', ['a12']],
    ['a?', ['a1']],
    ['[ab]*', ['a', 'a.md', 'b.ts', 'a1', 'a12', 'a-b', 'a{b}', 'a[b']],
    ['[!a-z]*', ['.md', '(a|b)', '+(a)', '[', '!a']],
    ['[a-c]', ['a']],
    ['(a|b)', ['(a|b)']],
    ['+(a)', ['+(a)']],
    ['a{b}', ['a{b}']],
    ['a[b', ['a[b']],
    ['\\!a', ['!a']],
    ['\\*', []],
    ['./a', ['a']],
    ['x?y', ['x\ny']],
    ['!**/*.md', paths.filter((path) => !path.endsWith('.md'))],
    ['!!a', ['a']],
  ])('%s', async (glob, expected) => {
    const hits = await matches(glob, paths);
    expect(paths.filter((_, n) => hits[n])).toEqual(expected);
  });
});

test('a range of too many names is refused with its length', () => {
  expect(() => globOf('{1..100000000}', '/files')).toThrow(
    expect.objectContaining({ more: expect.objectContaining({ details: { path: '/files', reason: 'range_too_long' } }) }),
  );
});

test('any glob becomes a pattern of RE2 or is refused by its input', async () => {
  const glob = fc.string({ unit: fc.constantFrom(...'ab/*?[]{},.!^\\-()|+$'), minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(glob, async (text) => {
      const outcome = await matches(text, paths).catch((error: unknown) => error);
      if (Array.isArray(outcome)) expect(outcome).toHaveLength(paths.length);
      else expect(outcome).toMatchObject({ code: 'VALIDATION_ERROR', more: { details: { path: '/pattern' }, effect: 'none' } });
    }),
  );
});

test('a text without operators matches itself only', async () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab.|+$()^-é '), minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(text, text, async (one, other) => {
      expect(await matches(one, [one.replace(/^(?:\.\/)+/, ''), `${one}x`, other])).toEqual([true, false, other === one]);
    }),
    { numRuns: 50 },
  );
});
