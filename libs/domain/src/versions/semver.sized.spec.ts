import { histories } from '@countersign/contracts/testing/histories';
import fc from 'fast-check';
import library from 'semver';
import { expect, test } from 'vitest';
import { compareSemver, inRangeText, parseRange, parseSemver, type Semver } from './semver.js';

const RUNS = { numRuns: histories(500, 3_000) };
const number = fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, fc.nat(1_000));
const identifier = fc.oneof(
  fc.nat(12).map(String),
  fc.constantFrom('alpha', 'beta', 'rc', 'Rc', '-', '--1', '1a', 'a1', '0a', '9007199254740993', '9007199254740992', '9007199254740991'),
  fc.string({ unit: fc.constantFrom(...'0123456789abzAZ-'), minLength: 1, maxLength: 4 }).filter((text) => !/^0\d+$/.test(text)),
);
const dotted = fc.array(identifier, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const release = fc.tuple(number, number, number).map((parts) => parts.join('.'));
const version = fc
  .tuple(release, fc.option(dotted, { nil: undefined }), fc.option(dotted, { nil: undefined, freq: 1 }))
  .map(
    ([core, prerelease, build]) => `${core}${prerelease === undefined ? '' : `-${prerelease}`}${build === undefined ? '' : `+${build}`}`,
  );
/** Versions, and near misses: a character dropped, doubled or inserted. */
const nearly = fc
  .tuple(version, fc.nat(), fc.constantFrom('', '0', '.', '-', '+', 'v', ' ', 'x', '٣', '_', '..'), fc.boolean())
  .map(([text, at, put, drops]) => `${text.slice(0, at % text.length)}${put}${text.slice((at % text.length) + (drops ? 1 : 0))}`);

const parsed = (text: string) => parseSemver(text) as Semver;

test('a text is a version if the library accepts it, and has the same parts', () => {
  const property = fc.property(fc.oneof(version, nearly), (text) => {
    const theirs = library.parse(text);
    // The library accepts a leading v and surrounding spaces, which are not part of a version.
    const plain = theirs !== null && /^\d/.test(text) && text === text.trim() ? theirs : null;
    const ours = parseSemver(text);
    expect(ours).toEqual(
      plain === null
        ? undefined
        : { major: plain.major, minor: plain.minor, patch: plain.patch, prerelease: plain.prerelease.length === 0 ? '' : ours?.prerelease },
    );
    if (plain !== null && plain.prerelease.length > 0)
      expect(text.split('+')[0]).toBe(`${plain.major}.${plain.minor}.${plain.patch}-${ours?.prerelease}`);
  });
  fc.assert(property, RUNS);
});

test.each(['1.0.0-01', '1.0.0-a.00', '1.0.0+', '1.0.0+a..b', '1.0.0+.', '9007199254740993.0.0', `1.0.0-${'a'.repeat(256)}`, '1.0.0 x'])(
  'neither takes %j for a version',
  (text) => {
    expect([parseSemver(text), library.parse(text)]).toEqual([undefined, null]);
  },
);

test('two versions compare as in the library', () => {
  const near = fc.tuple(version, nearly).filter(([, other]) => parseSemver(other) !== undefined);
  const property = fc.property(fc.oneof(fc.tuple(version, version), near), ([a, b]) => {
    expect(Math.sign(compareSemver(parsed(a), parsed(b)))).toBe(library.compare(a, b));
  });
  fc.assert(property, RUNS);
});

test.each(['^', '~'])('%s contains the releases that the library says it contains, and no prerelease', (sign) => {
  const property = fc.property(version, fc.array(version, { minLength: 1, maxLength: 5 }), (from, others) => {
    const holds = inRangeText(`${sign}${from}`);
    const { major, minor, patch } = parsed(from);
    const next = [`${major + 1}.0.0`, `${major}.${minor + 1}.0`, `${major}.${minor}.${patch + 1}`, `${major}.${minor}.${patch}`];
    for (const text of [...others, from, ...next.filter((each) => library.valid(each))])
      expect([text, holds?.(text)]).toEqual([text, parsed(text).prerelease === '' && library.satisfies(text, `${sign}${from}`)]);
  });
  fc.assert(property, { numRuns: 500 });
});

test('an exact text matches that version only; any other text is not a range here, even if the library accepts it', () => {
  fc.assert(
    fc.property(version, version, (text, other) => {
      const holds = inRangeText(text);
      expect([holds?.(text), holds?.(other)]).toEqual([true, text === other]);
    }),
  );
  for (const text of [
    '*',
    '',
    'latest',
    '1',
    '1.x',
    '>=1.0.0',
    '^1.0',
    '1.0.0 || 2.0.0',
    '1.0.0 - 2.0.0',
    '^ 1.0.0',
    'v1.0.0',
    '=1.0.0',
    '^^1.0.0',
  ])
    expect([text, parseRange(text)]).toEqual([text, undefined]);
});
