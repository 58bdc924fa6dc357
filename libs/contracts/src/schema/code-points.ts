/** Code points as intervals with inclusive ends. */
export type CodePoints = readonly (readonly [low: number, high: number])[];

const LAST = 0x10ffff;
export const everything: CodePoints = [[0, LAST]];
const digits: CodePoints = [[48, 57]];
const word: CodePoints = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const spaces: CodePoints = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const lineEnds: CodePoints = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
export const anyButLineEnds: CodePoints = complement(lineEnds);

/** The set of `\d`, `\w`, `\s` and their complements; undefined for other letters. */
export function classOf(letter: string): CodePoints | undefined {
  const set = { d: digits, w: word, s: spaces }[letter.toLowerCase()];
  return set && (letter === letter.toLowerCase() ? set : complement(set));
}

/** A superset of `\p{…}`: exact for ASCII letters and digits; includes everything beyond ASCII. */
export function propertyOf(name: string): CodePoints {
  const beyond: CodePoints = [[128, LAST]];
  if (/^(L|Letter|Alphabetic|Lu|Ll|Script=)/.test(name)) return [[65, 90], [97, 122], ...beyond];
  if (/^(N|Nd|Number)/.test(name)) return [...digits, ...beyond];
  return everything;
}

export function complement(set: CodePoints): CodePoints {
  const sorted = [...set].sort((a, b) => a[0] - b[0]);
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [low, high] of sorted) {
    if (low > next) gaps.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  if (next <= LAST) gaps.push([next, LAST]);
  return gaps;
}

export function overlap(a: CodePoints, b: CodePoints): boolean {
  return a.some(([low, high]) => b.some(([from, to]) => low <= to && from <= high));
}
