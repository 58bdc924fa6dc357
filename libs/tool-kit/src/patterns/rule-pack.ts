import { compare, fractionOf, plus } from './decimal.js';

/** One condition on a candidate. Pointers are JSON Pointers; `*` matches every item of a list. Decimals are texts. */
export type RuleCheck =
  | { kind: 'present'; pointer: string }
  | { kind: 'one_of'; pointer: string; values: readonly string[] }
  | { kind: 'between'; pointer: string; low?: string; high?: string }
  | { kind: 'not_after'; pointer: string; other: string }
  | { kind: 'sum'; pointer: string; of: string };

export interface Rule {
  id: string;
  severity: 'warn' | 'block';
  says: string;
  check: RuleCheck;
}

/** Rules as data: a verdict depends only on (name, version, candidate). */
export interface RulePack {
  name: string;
  version: string;
  rules: readonly Rule[];
}

/** Whether a rule holds. A value of the wrong kind fails; absent values pass, except for `present`: add `present` if they must not. */
export function holds(check: RuleCheck, candidate: unknown): boolean {
  const values = valuesAt(candidate, check.pointer);
  if (check.kind === 'present') return values.length > 0 && values.every((value) => value !== null && value !== '');
  try {
    if (check.kind === 'sum') return compare(sumOf(values), sumOf(valuesAt(candidate, check.of))) === 0;
    return values.every((value) => holdsOne(check, value, candidate));
  } catch {
    return false;
  }
}

function holdsOne(check: Exclude<RuleCheck, { kind: 'present' | 'sum' }>, value: unknown, candidate: unknown): boolean {
  const text = String(value);
  if (check.kind === 'one_of') return check.values.includes(text);
  if (check.kind === 'not_after') return valuesAt(candidate, check.other).every((other) => Date.parse(text) <= Date.parse(String(other)));
  const number = fractionOf(text);
  return (
    (check.low === undefined || compare(number, fractionOf(check.low)) >= 0) &&
    (check.high === undefined || compare(number, fractionOf(check.high)) <= 0)
  );
}

function sumOf(values: readonly unknown[]) {
  return values.map((value) => fractionOf(String(value))).reduce(plus, fractionOf('0'));
}

/** Every value that a pointer reaches. */
function valuesAt(root: unknown, pointer: string): unknown[] {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown[]>((nodes, step) => nodes.flatMap((node) => childrenOf(node, step)), [root]);
}

function childrenOf(node: unknown, step: string): unknown[] {
  if (node === null || typeof node !== 'object') return [];
  if (step === '*') return Array.isArray(node) ? node : [];
  const value = Object.hasOwn(node, step) ? (node as Record<string, unknown>)[step] : undefined;
  return value === undefined ? [] : [value];
}
