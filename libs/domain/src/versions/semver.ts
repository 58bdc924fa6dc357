/** The parts of an exact semantic version (semver.org 2.0.0); build metadata is ignored. */
export interface Semver {
  major: number;
  minor: number;
  patch: number;
  /** Text after the dash, '' for a release. */
  prerelease: string;
}

const NUMBER = '(0|[1-9]\\d*)';
const PRERELEASE = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const EXACT = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PRERELEASE}(?:\\.${PRERELEASE})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const CHARACTERS_MAX = 256;

/** Undefined if the text is not a version, or its numbers are not safe integers. */
export function parseSemver(text: string): Semver | undefined {
  const match = text.length <= CHARACTERS_MAX ? EXACT.exec(text) : null;
  if (!match) return undefined;
  const [major, minor, patch] = match.slice(1, 4).map(Number) as [number, number, number];
  return [major, minor, patch].every(Number.isSafeInteger) ? { major, minor, patch, prerelease: match[4] ?? '' } : undefined;
}

function comparePrerelease(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  const left = a.split('.');
  const right = b.split('.');
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const x = left[i];
    const y = right[i];
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    if (x === y) continue;
    const numeric = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (numeric[0] && numeric[1]) return Number(x) - Number(y);
    if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

/** Negative if a is older than b. */
export function compareSemver(a: Semver, b: Semver): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePrerelease(a.prerelease, b.prerelease);
}

/** A range: `x.y.z` matches that version; `^x.y.z` and `~x.y.z` match releases as in npm. */
export type VersionRange = { kind: 'exact'; text: string } | { kind: 'between'; from: Semver; below: Semver };

const release = (major: number, minor: number, patch: number): Semver => ({ major, minor, patch, prerelease: '' });

/** Parses a range; undefined if the text is none (`latest` and `*` are refused on purpose: versions are pinned). */
export function parseRange(text: string): VersionRange | undefined {
  const sign = text[0];
  const from = parseSemver(sign === '^' || sign === '~' ? text.slice(1) : text);
  if (!from) return undefined;
  if (sign === '~') return { kind: 'between', from, below: release(from.major, from.minor + 1, 0) };
  if (sign !== '^') return { kind: 'exact', text };
  if (from.major > 0) return { kind: 'between', from, below: release(from.major + 1, 0, 0) };
  if (from.minor > 0) return { kind: 'between', from, below: release(0, from.minor + 1, 0) };
  return { kind: 'between', from, below: release(0, 0, from.patch + 1) };
}

/** Returns a predicate for versions in the range of a text; undefined if the text is not a range. */
export function inRangeText(text: string): ((version: string) => boolean) | undefined {
  const range = parseRange(text);
  if (!range) return undefined;
  return (version) => {
    const parsed = parseSemver(version);
    return parsed !== undefined && inRange(range, version, parsed);
  };
}

export function inRange(range: VersionRange, text: string, version: Semver): boolean {
  if (range.kind === 'exact') return range.text === text;
  return version.prerelease === '' && compareSemver(version, range.from) >= 0 && compareSemver(version, range.below) < 0;
}
