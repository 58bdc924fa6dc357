import { type CelFunc, type CelInput, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import type { CelBindings } from './bindings.js';
import { type ConditionEnvironment, variablesOf } from './environment.js';
import { type ExpressionUses, usesOf } from './expression-uses.js';
import { functions } from './functions.js';
import { jsonOf } from './json-of.js';
import { NODES_MAX, TEXT_CHARS_MAX, TOKENS_MAX } from './limits.js';
import { payForLoops } from './paid-loops.js';
import { isBool, nameOf, type StaticType } from './static-type.js';
import { type Expr, type ExpressionFault, type Parsed, positionAt } from './syntax.js';
import { turns } from './turns.js';
import { TypeCheck, TypeFault } from './type-check.js';

/** The result of a condition: it holds, it does not hold, or its evaluation failed. */
export type ConditionOutcome = true | false | { error: string };

/** A compiled condition. Pure; `judge` never throws. */
export interface CelCondition {
  readonly text: string;
  readonly uses: ExpressionUses;
  judge(on: CelBindings): ConditionOutcome;
}

/** A compiled expression of any type: a number, a text, a list. Pure; `evaluate` never throws. */
export interface CelExpression {
  readonly text: string;
  readonly uses: ExpressionUses;
  evaluate(on: CelBindings): { value: unknown } | { error: string };
}

const env = celEnv({ funcs: functions });
const overloads = new Map<string, CelFunc[]>();
for (const overload of env.funcs) overloads.set(overload.name, [...(overloads.get(overload.name) ?? []), overload]);

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\w+|[^\s\w]/g;

/** What a program is evaluated on: a member for each variable. */
type Bound = { readonly inputs_chars: number };
type Run = (on: Bound) => unknown;

function parsed(text: string): { tree: Parsed; expr: Expr } | { fault: ExpressionFault } {
  const fault = (offset: number, reason: string) => ({ fault: { position: positionAt(text, offset), reason } });
  if (text.length > TEXT_CHARS_MAX) return fault(TEXT_CHARS_MAX, `an expression has at most ${TEXT_CHARS_MAX} characters`);
  if ((text.match(TOKEN)?.length ?? 0) > TOKENS_MAX) return fault(0, `the expression has over ${NODES_MAX} parts`);
  try {
    const tree = parse(text);
    return tree.expr ? { tree, expr: tree.expr } : fault(0, 'the expression is empty');
  } catch (error) {
    const at = (error as { location?: { start?: { offset?: number } } }).location?.start?.offset ?? 0;
    // The parser quotes half of a pair of surrogates, which JSON cannot carry.
    return fault(at, error instanceof RangeError ? 'the expression is nested too deep' : Buffer.from((error as Error).message).toString());
  }
}

/** An expression over these variables, with its static type. */
export function compiledProgram(
  text: string,
  variables: ReadonlyMap<string, StaticType>,
): { run: Run; type: StaticType; uses: ExpressionUses } | { fault: ExpressionFault } {
  const source = parsed(text);
  if ('fault' in source) return source;
  try {
    const type = new TypeCheck(overloads).typeOf(source.expr, variables);
    const uses = usesOf(source.expr);
    payForLoops(source.expr);
    const evaluate = plan(env, source.expr) as (on: unknown) => unknown;
    return { run: evaluate, type, uses };
  } catch (error) {
    const node = error instanceof TypeFault ? error.node : 0n;
    const offset = source.tree.sourceInfo?.positions[String(node)] ?? 0;
    return { fault: { position: positionAt(text, offset), reason: (error as Error).message } };
  }
}

/** Never throws. */
export function evaluatedProgram(run: Run, on: Bound): { value: unknown } | { error: string } {
  try {
    turns.start(on.inputs_chars);
    const value = run(on);
    return isCelError(value) ? { error: value.message } : { value };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/**
 * Compiles a condition. Its variables are those of `variablesOf`; its static type must be bool or unknown. A condition whose evaluation
 * fails (a missing field, a text instead of a number, too many items) does not hold, and reports the error.
 */
export function compileCondition(text: string, known: ConditionEnvironment = {}): { condition: CelCondition } | { fault: ExpressionFault } {
  const program = compiledProgram(text, variablesOf(known));
  if ('fault' in program) return program;
  const { run, type, uses } = program;
  if (!isBool(type)) return { fault: { position: positionAt(text, 0), reason: `a condition must be a bool, and this is ${nameOf(type)}` } };
  const judge = (on: CelBindings): ConditionOutcome => {
    const outcome = evaluatedProgram(run, on);
    if ('error' in outcome) return outcome;
    return typeof outcome.value === 'boolean' ? outcome.value : { error: 'the condition is not a bool' };
  };
  return { condition: { text, uses, judge } };
}

/** Compiles an expression for its value. The result is JSON: integers, lists and maps are converted. */
export function compileExpression(
  text: string,
  known: ConditionEnvironment = {},
): { expression: CelExpression } | { fault: ExpressionFault } {
  const program = compiledProgram(text, variablesOf(known));
  if ('fault' in program) return program;
  const { run, uses } = program;
  const evaluate = (on: CelBindings) => {
    const outcome = evaluatedProgram(run, on);
    if ('error' in outcome) return outcome;
    const value = jsonOf(outcome.value as CelInput);
    return value === undefined ? { error: 'the value is not JSON; convert it with string(…)' } : { value };
  };
  return { expression: { text, uses, evaluate } };
}
