import type { MappingDefinition, MappingIssue, MappingRule } from './definition.js';
import { partsOf } from './pointer.js';

/** Top-level fields that other parts rely on: they identify an effect, name its resources, or are read by a rule, a cap or a limit. */
export interface GuardedFields {
  /** Fields in the agent's form. */
  inputs(field: string): boolean;
  /** Fields in the mapped form. */
  mapped(field: string): boolean;
}

/** Steps that change the meaning of a value; dates, decimals and `as` only change its form. */
function changing({ lookup, lookup_back, default: made, out_of, drop }: MappingRule): string | undefined {
  if (lookup !== undefined || lookup_back !== undefined) return 'lookup';
  if (made !== undefined) return 'default';
  if (out_of !== undefined) return 'out_of';
  return drop ? 'drop' : undefined;
}

const topOf = (pointer: string): string | undefined => partsOf(pointer)?.[0];

/** Why a rule of the inputs needs a second person; undefined if it is a plain move or concerns unguarded fields. */
function reasonFor(
  rule: MappingRule,
  among: readonly MappingRule[],
  relied: boolean,
  guarded: GuardedFields | undefined,
): string | undefined {
  const { from, to, value } = rule;
  if (value !== undefined) return 'value: an expression can read every field of the call';
  if (from === undefined) return 'it has no from: a constant replaces what the agent requests';
  const source = topOf(from);
  const target = to === undefined ? undefined : topOf(to);
  const isGuarded = (field: string | undefined, of: 'inputs' | 'mapped') =>
    guarded !== undefined && (field === undefined || guarded[of](field));
  const guardedSource = relied || isGuarded(source, 'inputs');
  const guardedTarget = to !== undefined && (isGuarded(target, 'inputs') || isGuarded(target, 'mapped'));
  const step = changing(rule);
  if (step !== undefined && (guardedSource || guardedTarget)) return `${step}: other parts of the platform rely on the value of the field`;
  if (to === undefined || from === to) return undefined;
  const taken =
    isGuarded(target, 'inputs') || among.some((other) => other !== rule && other.from !== undefined && topOf(other.from) === target);
  return taken && (target !== source || guardedTarget || relied) ? `to: another field replaces ${to}` : undefined;
}

function reasons(rules: readonly MappingRule[], at: string, relied: boolean, guarded: GuardedFields | undefined): MappingIssue[] {
  return rules.flatMap((rule, i) => {
    const path = `${at}/${i}`;
    const message = reasonFor(rule, rules, relied, guarded);
    const source = rule.from === undefined ? undefined : topOf(rule.from);
    const inner = relied || source === undefined || guarded?.inputs(source) === true;
    return [
      ...(message === undefined ? [] : [{ path, message }]),
      ...(rule.each ? reasons(rule.each, `${path}/each`, inner, undefined) : []),
    ];
  });
}

/**
 * The rules of a mapping that may change what policy rules and approvers rely on, with their places in the definition. Empty: all guarded
 * values are only moved or reformatted.
 */
export function beyondPlainMoves({ inputs }: Pick<MappingDefinition, 'inputs'>, guarded: GuardedFields): MappingIssue[] {
  return reasons(inputs, '/inputs', false, guarded);
}
