import { celOf } from './bindings.js';
import { type ConditionOutcome, compiledProgram, evaluatedProgram } from './compile.js';
import { schemaType } from './schema-type.js';
import { DOUBLE, DYN, isBool, nameOf, record, type StaticType } from './static-type.js';
import { type ExpressionFault, positionAt } from './syntax.js';

/** What is known of what a condition of a saga may read. */
export interface SagaConditionEnvironment {
  /** JSON Schema of the inputs of the saga; undefined: not known. */
  inputs_schema: Record<string, unknown> | undefined;
  /** Steps that may have run before it → JSON Schema of their output; undefined: not known. */
  steps: ReadonlyMap<string, Record<string, unknown> | undefined>;
  /** Whether `item` and `index` have a meaning. */
  in_map: boolean;
}

/** What a condition of a saga is evaluated on. `steps`: only those that ran. */
export interface SagaConditionSubject {
  inputs: unknown;
  steps: Readonly<Record<string, { output: unknown }>>;
  item?: unknown;
  index?: number;
  /** Characters of the JSON of all of it: larger ones leave the condition fewer turns. */
  inputs_chars: number;
}

/** A compiled condition of a saga. Pure; `judge` never throws. */
export interface SagaCondition {
  readonly text: string;
  judge(on: SagaConditionSubject): ConditionOutcome;
}

function variables({ inputs_schema, steps, in_map }: SagaConditionEnvironment): ReadonlyMap<string, StaticType> {
  const known = [...steps].map(([name, schema]) => {
    const output = schema ? schemaType(schema, `steps.${name}.output`) : DYN;
    return [name, record(`steps.${name}`, { output })] as const;
  });
  return new Map<string, StaticType>([
    ['inputs', inputs_schema ? schemaType(inputs_schema) : DYN],
    ['steps', record('steps', Object.fromEntries(known))],
    ...(in_map
      ? ([
          ['item', DYN],
          ['index', DOUBLE],
        ] as const)
      : []),
  ]);
}

const isVariable = (name: string): boolean => name !== 'inputs_chars';

function bindings(on: SagaConditionSubject) {
  const given = Object.entries(on).filter(([name, value]) => isVariable(name) && value !== undefined);
  return { ...Object.fromEntries(given.map(([name, value]) => [name, celOf(value)])), inputs_chars: on.inputs_chars };
}

/** Compiles a condition of a saga over `inputs`, `steps.<name>.output` and, inside a map, `item` and `index`. */
export function compileSagaCondition(
  text: string,
  known: SagaConditionEnvironment,
): { condition: SagaCondition } | { fault: ExpressionFault } {
  const program = compiledProgram(text, variables(known));
  if ('fault' in program) return program;
  const { run, type } = program;
  if (!isBool(type)) return { fault: { position: positionAt(text, 0), reason: `a condition is a bool, and this is ${nameOf(type)}` } };
  const judge = (on: SagaConditionSubject): ConditionOutcome => {
    const outcome = evaluatedProgram(run, bindings(on));
    if ('error' in outcome) return outcome;
    return typeof outcome.value === 'boolean' ? outcome.value : { error: 'the condition is not a bool' };
  };
  return { condition: { text, judge } };
}
