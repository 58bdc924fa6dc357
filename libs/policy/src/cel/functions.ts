import {
  type CelFunc,
  type CelInput,
  type CelList,
  CelScalar,
  celFunc,
  celList,
  celMethod,
  isCelList,
  isCelMap,
  listType,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { RE2JS } from 're2js';
import { findDangers } from '../dangers/find-dangers.js';
import { jsonOf } from './json-of.js';
import { MATCHED_STEPS_PER_TURN, PATTERN_STEPS_MAX } from './limits.js';
import { turns } from './turns.js';

const { INT, DOUBLE, STRING, BOOL, DYN } = CelScalar;
/** Only those functions of the strings extension that cannot lengthen a text. */
const SAFE_STRINGS: readonly string[] = ['charAt', 'indexOf', 'lastIndexOf', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'split'];

/** Wrapper functions around the range of a loop and the operand of `in`: they charge turns for the items. */
export const RANGE = '@range';
export const SEARCHED = '@searched';

const PATTERNS_MAX = 1000;
const DANGER_TURNS = 500;
const patterns = new Map<string, RE2JS>();

/** An RE2 pattern: linear in the text. @throws if the pattern is invalid or compiles to too many steps. */
export function patternOf(text: string): RE2JS {
  const known = patterns.get(text);
  if (known) return known;
  if (patterns.size >= PATTERNS_MAX) patterns.clear();
  const pattern = RE2JS.compile(text);
  const steps = pattern.programSize();
  if (steps > PATTERN_STEPS_MAX)
    throw new Error(`it compiles to ${steps} steps, at most ${PATTERN_STEPS_MAX} are allowed: use fewer repetitions`);
  patterns.set(text, pattern);
  return pattern;
}

const mixed = (name: string, of: (a: number, b: number) => number): CelFunc[] => [
  celFunc(name, [DOUBLE, INT], DOUBLE, (a, b) => of(a, Number(b))),
  celFunc(name, [INT, DOUBLE], DOUBLE, (a, b) => of(Number(a), b)),
];

function total(list: CelList): number {
  let sum = 0;
  for (const item of list) {
    if (typeof item !== 'number' && typeof item !== 'bigint') throw new Error('sum: an item is not a number');
    sum += Number(item);
  }
  return sum;
}

/** Charges so many turns for a search for dangers that one expression can do only a few. */
function paidDangers(value: CelInput): string[] {
  turns.pay(DANGER_TURNS);
  return findDangers(jsonOf(value)).map(({ id }) => id);
}

/**
 * The functions beyond the standard ones: arithmetic of doubles (JSON numbers) with integers, `sum(list)`, `abs`, cached patterns, and the
 * harmless part of the strings extension.
 */
export const functions: CelFunc[] = [
  ...strings.filter(({ name }) => SAFE_STRINGS.includes(name)),
  ...mixed('_+_', (a, b) => a + b),
  ...mixed('_-_', (a, b) => a - b),
  ...mixed('_*_', (a, b) => a * b),
  ...mixed('_/_', (a, b) => a / b),
  ...mixed('_%_', (a, b) => a % b),
  celFunc('sum', [listType(DYN)], DOUBLE, total),
  celMethod('sum', listType(DYN), [], DOUBLE, function () {
    return total(this);
  }),
  celFunc('abs', [DOUBLE], DOUBLE, Math.abs),
  celFunc('abs', [INT], INT, (value) => (value < 0n ? -value : value)),
  celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
    const compiled = patternOf(pattern);
    turns.pay(1 + (this.length * compiled.programSize()) / MATCHED_STEPS_PER_TURN);
    return compiled.test(this);
  }),
  celFunc('dangerous', [DYN], BOOL, (value) => paidDangers(value).length > 0),
  celFunc('dangers', [DYN], listType(STRING), (value) => celList(paidDangers(value))),
  celFunc(RANGE, [DYN], DYN, (range) => {
    if (isCelList(range) || isCelMap(range)) turns.pay(range.size);
    return range;
  }),
  celFunc(SEARCHED, [DYN], DYN, (searched) => {
    if (isCelList(searched)) turns.pay(searched.size);
    return searched;
  }),
];
