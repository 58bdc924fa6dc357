import { type CelCondition, compileCondition } from '../cel/compile.js';
import type { ConditionEnvironment } from '../cel/environment.js';
import type { ExpressionFault } from '../cel/syntax.js';
import type { Rule } from './rule.js';
import { specificity } from './selector.js';

/** A rule with its conditions compiled. */
export interface CompiledRule extends Rule {
  condition: CelCondition | undefined;
  /** For a defer rule whose `until` is a condition. */
  until_condition: CelCondition | undefined;
  /** For a defer rule that waits for the end of a call. */
  until_call: string | undefined;
  specificity: number;
  /** The decision may change while the configuration stays the same: with time, or with other calls. */
  timed: boolean;
  strength: number;
}

/** Why a rule is unusable, with the field and the position in its expression. */
export interface RuleFault extends ExpressionFault {
  rule: string;
  /** `when` or `defer.until`. */
  field: string;
}

/** Strongest first. A denial is final. A deferred call is judged again after its wait, so approval is requested only then. */
const strengths = { deny: 3, defer: 2, require_approval: 1, allow: 0 } as const;

const TIMED = ['now', 'history', 'trust'];
const CALL_ENDED = /^call (\S+) ended$/;

/** The call that a defer rule waits for, if any. */
function awaitedCall(until: string): string | undefined {
  return CALL_ENDED.exec(until.trim())?.[1];
}

export function compileRule(rule: Rule, known: ConditionEnvironment): { rule: CompiledRule } | { faults: RuleFault[] } {
  const faults: RuleFault[] = [];
  const compiled = (field: string, text: string | undefined): CelCondition | undefined => {
    if (text === undefined) return undefined;
    const program = compileCondition(text, known);
    if ('condition' in program) return program.condition;
    faults.push({ rule: rule.id, field, ...program.fault });
    return undefined;
  };
  const condition = compiled('when', rule.when);
  const until_call = rule.defer ? awaitedCall(rule.defer.until) : undefined;
  const until_condition = until_call === undefined ? compiled('defer.until', rule.defer?.until) : undefined;
  if (faults.length > 0) return { faults };
  const timed =
    rule.expires_at_ms !== undefined || rule.effect === 'defer' || TIMED.some((variable) => condition?.uses.variables.has(variable));
  const place = { specificity: specificity(rule.tools), strength: strengths[rule.effect] };
  return { rule: { ...rule, condition, until_condition, until_call, timed, ...place } };
}

/** Sorts stronger before weaker, narrower before wider, then by id: independent of the order in the bundle. */
export function before(a: CompiledRule, b: CompiledRule): number {
  return b.strength - a.strength || b.specificity - a.specificity || (a.id < b.id ? -1 : Number(a.id > b.id));
}
