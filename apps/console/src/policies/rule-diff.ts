import { differences } from '../elements/json-diff.js';
import { type Rule, rulesOf } from './rule.js';
import { fieldWord, valueWords } from './rule-words.js';

/** A field that two versions of a rule have differently, in words where there are some that differ, too. */
export interface FieldChange {
  field: string;
  word: string;
  before: string;
  after: string;
}

/** A rule that only one of two policies has, or that they have differently. */
export type RuleChange =
  | { kind: 'added'; rule: Rule }
  | { kind: 'removed'; rule: Rule }
  | { kind: 'changed'; rule: Rule; fields: FieldChange[] };

/** How two policies differ. The order of rules has no meaning and is not compared. */
export interface PolicyDiff {
  /** Of the policy itself: its description, what happens with dangerous operations. */
  policy: FieldChange[];
  rules: RuleChange[];
  unchanged: number;
}

type Bundle = Readonly<Record<string, unknown>>;

/** No policy: the built-in rules alone. */
export const NO_RULES: Bundle = { rules: [] };

export function policyDiff(before: Bundle, after: Bundle): PolicyDiff {
  const old = new Map(rulesOf(before).map((rule) => [rule.id, rule]));
  const next = new Map(rulesOf(after).map((rule) => [rule.id, rule]));
  const changed: RuleChange[] = [];
  const added: RuleChange[] = [];
  for (const rule of next.values()) {
    const was = old.get(rule.id);
    if (!was) added.push({ kind: 'added', rule });
    else if (isDifferent(was.fields, rule.fields)) changed.push({ kind: 'changed', rule, fields: fieldChanges(was.fields, rule.fields) });
  }
  const removed = [...old.values()].filter(({ id }) => !next.has(id)).map((rule): RuleChange => ({ kind: 'removed', rule }));
  const { rules: _before, ...policy_before } = before;
  const { rules: _after, ...policy_after } = after;
  return {
    policy: fieldChanges(policy_before, policy_after),
    rules: [...removed, ...added, ...changed],
    unchanged: next.size - added.length - changed.length,
  };
}

/** `2 rules added, 1 changed, 3 removed`; `No rule differs` where that is so. */
export function diffWords({ rules, policy }: PolicyDiff): string {
  const count = (kind: RuleChange['kind']) => rules.filter((rule) => rule.kind === kind).length;
  const parts = (['added', 'changed', 'removed'] as const).flatMap((kind) => (count(kind) > 0 ? [`${count(kind)} ${kind}`] : []));
  if (parts.length > 0) return parts.join(', ');
  return policy.length > 0 ? 'no rule differs' : 'no difference';
}

const isDifferent = (before: unknown, after: unknown): boolean => differences(before, after).length > 0;

function fieldChanges(before: Bundle, after: Bundle): FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((field) => isDifferent(before[field], after[field]));
  return fields.map((field) => ({ field, word: fieldWord(field), ...sides(field, before[field], after[field]) }));
}

/** Words, unless both sides have the same ones: then what differs is in details, and JSON shows it. */
function sides(field: string, before: unknown, after: unknown): Pick<FieldChange, 'before' | 'after'> {
  const words = { before: valueWords(field, before), after: valueWords(field, after) };
  if (words.before !== undefined && words.after !== undefined && words.before !== words.after)
    return { before: words.before, after: words.after };
  return { before: jsonOf(before), after: jsonOf(after) };
}

const jsonOf = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value, null, 1));
