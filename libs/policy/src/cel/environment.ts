import { schemaType } from './schema-type.js';
import { BOOL, DYN, listOf, mapOf, record, STRING, type StaticType, TIMESTAMP } from './static-type.js';

/** The facts known when an expression is compiled; missing facts are checked only at evaluation. */
export interface ConditionEnvironment {
  /** JSON Schema of the inputs, if the expression is about one tool. */
  inputs_schema?: Record<string, unknown> | undefined;
  /** Names of the tenant's fact tables. */
  fact_tables?: readonly string[] | undefined;
}

const CONTEXT = record('context', {
  ...Object.fromEntries(
    ['agent', 'run_id', 'step_id', 'request_id', 'rationale', 'skill', 'step', 'rule', 'purpose', 'safety_mode', 'case_id'].map((field) => [
      field,
      STRING,
    ]),
  ),
  seq: DYN,
  depends_on: listOf(STRING),
  iteration: DYN,
  run_budget: DYN,
});
const PRINCIPAL = record('principal', { kind: STRING, id: STRING, roles: listOf(STRING) }, true);
const TOOL = record('tool', {
  ...Object.fromEntries(
    ['name', 'version', 'category', 'effect_class', 'reversibility', 'tier', 'upstream'].map((field) => [field, STRING]),
  ),
  markings: listOf(STRING),
  scopes: listOf(STRING),
  flags: listOf(STRING),
});

function counted(names: readonly string[], more: Record<string, StaticType> = {}): StaticType {
  const counts = Object.fromEntries(names.map((name) => [name, DYN]));
  return record('counts', { ...counts, ...more, tools: mapOf(record('counts', counts)) });
}

const ENDED = ['calls', 'succeeded', 'failed', 'denied', 'in_doubt', 'flagged'];
const COUNTED = counted([...ENDED, 'pending'], { flags: mapOf(DYN) });
const WINDOW = counted(ENDED);
const HISTORY = record('history', {
  case: COUNTED,
  run: COUNTED,
  agent: record('agent', { last_1h: WINDOW, last_24h: WINDOW, last_30d: WINDOW }),
  first_use_of_tool: BOOL,
  circuit: STRING,
  flagged: DYN,
});

/** The variables of every expression, with their static types. */
export function variablesOf({ inputs_schema, fact_tables }: ConditionEnvironment): ReadonlyMap<string, StaticType> {
  const tables = fact_tables && record('facts', Object.fromEntries(fact_tables.map((table) => [table, mapOf(DYN)])));
  return new Map<string, StaticType>([
    ['inputs', inputs_schema ? schemaType(inputs_schema) : DYN],
    ['mapped', DYN],
    ['context', CONTEXT],
    ['principal', PRINCIPAL],
    ['tool', TOOL],
    ['facts', tables ?? mapOf(mapOf(DYN))],
    ['history', HISTORY],
    ['trust', mapOf(DYN)],
    ['now', TIMESTAMP],
  ]);
}
