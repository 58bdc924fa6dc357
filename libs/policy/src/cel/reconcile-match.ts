import { celOf } from './bindings.js';
import { type ConditionOutcome, compiledProgram, evaluatedProgram } from './compile.js';
import { schemaType } from './schema-type.js';
import { isBool, nameOf, STRING, type StaticType } from './static-type.js';
import { type ExpressionFault, positionAt } from './syntax.js';

/** What a match may read. */
export interface ReconcileEnvironment {
  /** JSON Schema of the inputs of the write. */
  inputs_schema: Record<string, unknown>;
  /** JSON Schema of the output of the read. */
  output_schema: Record<string, unknown>;
  /** The inputs that identify the effect of the write. */
  discriminating: readonly string[];
  /** True if the write carries the key of its attempt. */
  carries_key: boolean;
}

/** What a match is evaluated on. `inputs_chars`: characters of the JSON of all of it. */
export interface ReconcileSubject {
  inputs: unknown;
  attempt_key: string;
  output: unknown;
  inputs_chars: number;
}

/** Whether the answer of a read shows the effect of a write. Pure; `judge` never throws. */
export interface ReconcileMatch {
  judge(on: ReconcileSubject): ConditionOutcome;
}

const NAMES = ['inputs', 'attempt_key', 'output'] as const;

function bindings(on: ReconcileSubject) {
  return { ...Object.fromEntries(NAMES.map((name) => [name, celOf(on[name])])), inputs_chars: on.inputs_chars };
}

/** Why the expression does not tell one effect of the write from another; undefined: it does. */
function identityFault(variables: ReadonlySet<string>, fields: ReadonlySet<string>, known: ReconcileEnvironment): string | undefined {
  if (!variables.has('output')) return 'a match reads `output`, the answer of the read';
  const declared = (known.inputs_schema.properties ?? {}) as Record<string, unknown>;
  const unknown = [...fields].filter((field) => field !== '*' && !Object.hasOwn(declared, field));
  if (unknown.length > 0) return `the write has no input ${unknown.join(', ')}`;
  if (variables.has('attempt_key'))
    return known.carries_key ? undefined : 'the write does not carry the key of its attempt: name the input that is set to it (key_input)';
  const identifies = [...fields].some((field) => known.discriminating.includes(field));
  return identifies
    ? undefined
    : 'a match reads an input that identifies the effect, or `attempt_key`; otherwise it finds the effects of other calls';
}

/** Compiles the match of a reconcile over `inputs`, `attempt_key` and `output`. */
export function compileReconcileMatch(text: string, known: ReconcileEnvironment): { match: ReconcileMatch } | { fault: ExpressionFault } {
  const variables = new Map<string, StaticType>([
    ['inputs', schemaType(known.inputs_schema)],
    ['attempt_key', STRING],
    ['output', schemaType(known.output_schema, 'output')],
  ]);
  const program = compiledProgram(text, variables);
  if ('fault' in program) return program;
  const { run, type, uses } = program;
  const fault = isBool(type)
    ? identityFault(uses.variables, uses.fields?.inputs ?? new Set(), known)
    : `a match is a bool, and this is ${nameOf(type)}`;
  if (fault !== undefined) return { fault: { position: positionAt(text, 0), reason: fault } };
  const judge = (on: ReconcileSubject): ConditionOutcome => {
    const outcome = evaluatedProgram(run, bindings(on));
    if ('error' in outcome) return outcome;
    return typeof outcome.value === 'boolean' ? outcome.value : { error: 'the match is not a bool' };
  };
  return { match: { judge } };
}
