import { keepsSeconds } from './date.js';
import type { MappingRule } from './definition.js';

/** The reversed rules; a text if a rule cannot be reversed. Dropped fields and defaults are not restored. */
export function inverseOf(rules: readonly MappingRule[], at = ''): MappingRule[] | string {
  const back: MappingRule[] = [];
  for (const [i, rule] of rules.entries()) {
    const { from, to, drop, date, decimal, lookup, lookup_back, as, out_of, each, value } = rule;
    if (drop) continue;
    if (value !== undefined) return `${at}/${i}/value: an expression has no inverse`;
    if (from === undefined) {
      back.push({ from: to, drop: true });
      continue;
    }
    const inner = each && inverseOf(each, `${at}/${i}/each`);
    if (typeof inner === 'string') return inner;
    back.push({
      from: to,
      to: from,
      ...(date ? { date: { from: date.to, to: date.from } } : {}),
      ...(decimal ? { decimal: { from: decimal.to, to: decimal.from } } : {}),
      ...(lookup === undefined ? {} : { lookup_back: lookup }),
      ...(lookup_back === undefined ? {} : { lookup: lookup_back }),
      ...(as ? { out_of: as } : {}),
      ...(out_of ? { as: out_of } : {}),
      ...(inner ? { each: inner } : {}),
    });
  }
  return back;
}

/** True if mapping by these rules and back restores the value, for whole seconds and numbers that fit the forms. */
export function isLossless(rules: readonly MappingRule[]): boolean {
  return rules.every(
    ({ drop, value, default: made, date, each, from }) =>
      !drop &&
      value === undefined &&
      made === undefined &&
      from !== undefined &&
      (!date || (keepsSeconds(date.from) && keepsSeconds(date.to))) &&
      (!each || isLossless(each)),
  );
}
