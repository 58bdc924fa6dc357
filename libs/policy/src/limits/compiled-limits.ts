import { CelBindings } from '../cel/bindings.js';
import { type CelExpression, compileExpression } from '../cel/compile.js';
import { fitsOne } from './glob.js';
import { type Limit, type LimitedCall, subjectsOf } from './limited-call.js';

/** A limit with compiled expressions. A limit that does not compile refuses every call. */
export interface CompiledLimit {
  limit: Limit;
  amount: CelExpression | 'unreadable' | null;
  per: CelExpression | 'unreadable' | null;
}

/** Default limits per run, used if the tenant has no limit of that kind for runs. */
const RUN_ITERATIONS_MAX = 10;
const RUN_TOOL_CALLS_MAX = 25;

const byDefault = (kind: 'max_iterations' | 'max_tool_calls', max: number): Limit => ({
  limit_id: `default.${kind}`,
  version: 0,
  removed: false,
  kind,
  scope: 'run',
  subjects: [],
  tools: [],
  max,
  window_ms: null,
  amount: null,
  per: null,
  allowed: [],
  side_effects: null,
  on_exceeded: 'deny',
  defer_timeout_ms: null,
  by: { kind: 'service', id: 'countersign', roles: [] },
  changed_at_ms: 0,
});

/** The default limits for runs. */
export const defaultLimits: readonly Limit[] = [
  byDefault('max_iterations', RUN_ITERATIONS_MAX),
  byDefault('max_tool_calls', RUN_TOOL_CALLS_MAX),
];

function expression(text: string | null): CompiledLimit['amount'] {
  if (text === null) return null;
  const program = compileExpression(text);
  return 'fault' in program ? 'unreadable' : program.expression;
}

const compile = (limit: Limit): CompiledLimit => ({ limit, amount: expression(limit.amount), per: expression(limit.per) });
const defaults = defaultLimits.map(compile);
const compiled = new WeakMap<readonly Limit[], readonly CompiledLimit[]>();

/** The compiled limits of a tenant, cached per list. */
function compiledOf(limits: readonly Limit[]): readonly CompiledLimit[] {
  let known = compiled.get(limits);
  if (!known) {
    known = limits.map(compile);
    compiled.set(limits, known);
  }
  return known;
}

/** A limit with the subjects that the call counts for. */
export interface Applied extends CompiledLimit {
  subjects: readonly string[];
}

/** The subjects of a limit that the call counts for; undefined if the limit does not apply. */
function subjectsFor({ tools, subjects, scope }: Limit, on: Omit<LimitedCall, 'at_ms'>): readonly string[] | undefined {
  if (tools.length > 0 && !fitsOne(tools, on.call.tool)) return undefined;
  const all = subjectsOf(scope, on);
  const counted = subjects.length === 0 ? all : all.filter((subject) => fitsOne(subjects, subject));
  return counted.length > 0 ? counted : undefined;
}

const NONE: readonly Applied[] = [];

/** The limits that apply to a call, including defaults. Costs nothing if there are none. */
export function appliedLimits(limits: readonly Limit[], on: Omit<LimitedCall, 'at_ms'>): readonly Applied[] {
  const { run_id } = on.call;
  if (limits.length === 0 && run_id === null) return NONE;
  const applied: Applied[] = [];
  for (const { limit, amount, per } of compiledOf(limits)) {
    const subjects = subjectsFor(limit, on);
    if (subjects) applied.push({ limit, amount, per, subjects });
  }
  if (run_id === null) return applied;
  const own = new Set(applied.filter(({ limit }) => limit.scope === 'run').map(({ limit }) => limit.kind));
  for (const { limit, amount, per } of defaults) if (!own.has(limit.kind)) applied.push({ limit, amount, per, subjects: [run_id] });
  return applied;
}

/** The variables of a limit's expressions. */
export function bindingsOf({ call, contract, at_ms }: LimitedCall): CelBindings {
  const { name, version, category, effect_class, reversibility, tier, markings, scopes } = contract;
  const inputs = JSON.parse(call.inputs_json) as unknown;
  return new CelBindings({
    inputs,
    mapped: call.mapped ? JSON.parse(call.mapped.inputs_json) : inputs,
    inputs_chars: call.inputs_json.length + (call.mapped?.inputs_json.length ?? 0),
    context: { ...call.context, case_id: call.case_id },
    principal: call.principal,
    tool: { name, version, category, effect_class, reversibility, tier, markings, scopes },
    facts: new Map(),
    history: {},
    trust: {},
    now_ms: at_ms,
  });
}
