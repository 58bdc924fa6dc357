import { type Issue, Refusal } from '@countersign/calls';
import { DAY_MS, type Limit } from '@countersign/domain';
import { compileExpression } from '@countersign/policy';
import { z } from 'zod';

const globs = z.array(z.string().min(1).max(200)).max(200);
const expression = z.string().min(1).max(4096);
const KINDS = [
  'enabled_tools',
  'max_iterations',
  'max_tool_calls',
  'max_budget',
  'cost_ceiling',
  'side_effects',
  'rate',
  'egress',
  'cumulative',
] as const;

/** Body of `PUT /v1/limits/{limit_id}`. */
export const limitRequest = z.strictObject({
  kind: z.enum(KINDS),
  scope: z.enum(['run', 'case', 'agent', 'tenant', 'tool', 'capability']).describe('the kind of subject that calls are counted for'),
  subjects: globs.default([]).describe('globs of the runs, cases, agents, tools or capabilities; empty: all'),
  tools: globs.default([]).describe('globs of the tools that the limit applies to; empty: all'),
  max: z.number().min(0).max(1e9).optional(),
  window_ms: z
    .int()
    .min(1000)
    .max(400 * DAY_MS)
    .optional()
    .describe('length of the sliding window; absent: no window, counts never expire'),
  amount: expression.optional().describe('CEL: the amount that a call adds, for example inputs.total'),
  per: expression.optional().describe('CEL: calls with an equal value are counted together, for example inputs.supplier'),
  allowed: globs.optional().describe('for enabled_tools: globs of the tools that may be called'),
  side_effects: z.enum(['none', 'reads', 'writes']).optional(),
  on_exceeded: z.enum(['deny', 'defer']).default('deny').describe('defer: the call waits until the limit has room'),
  defer_timeout_ms: z
    .int()
    .min(1000)
    .max(7 * DAY_MS)
    .optional(),
});

export type LimitRequest = z.infer<typeof limitRequest>;
type Field = 'max' | 'window_ms' | 'amount' | 'per' | 'allowed' | 'side_effects';

/** Required and optional fields of each kind. */
const fieldsOf: Readonly<Record<LimitRequest['kind'], { must: readonly Field[]; may: readonly Field[] }>> = {
  enabled_tools: { must: ['allowed'], may: [] },
  side_effects: { must: ['side_effects'], may: [] },
  max_iterations: { must: ['max'], may: [] },
  max_tool_calls: { must: ['max'], may: ['window_ms', 'per'] },
  max_budget: { must: ['max'], may: ['window_ms', 'amount', 'per'] },
  cost_ceiling: { must: ['max'], may: ['amount'] },
  rate: { must: ['max', 'window_ms'], may: ['per'] },
  egress: { must: ['max', 'window_ms'], may: ['amount', 'per'] },
  cumulative: { must: ['max', 'amount'], may: ['window_ms', 'per'] },
};
const FIELDS: readonly Field[] = ['max', 'window_ms', 'amount', 'per', 'allowed', 'side_effects'];

function expressionIssues(request: LimitRequest): Issue[] {
  return (['amount', 'per'] as const).flatMap((field) => {
    const text = request[field];
    const program = text === undefined ? undefined : compileExpression(text);
    if (!program || !('fault' in program)) return [];
    const { position, reason } = program.fault;
    return [{ path: `/${field}`, code: 'expression', message: `${position.line}:${position.column}: ${reason}` }];
  });
}

/** Faults of a limit as a whole: missing or unexpected fields of its kind, and expressions that do not compile. */
export function limitFault(request: LimitRequest): Refusal | undefined {
  const { must, may } = fieldsOf[request.kind];
  const shape = FIELDS.flatMap((field): Issue[] => {
    const given = request[field] !== undefined;
    if (must.includes(field) && !given) return [{ path: `/${field}`, code: 'missing', message: `is required for ${request.kind}` }];
    if (given && !must.includes(field) && !may.includes(field))
      return [{ path: `/${field}`, code: 'unknown_field', message: `is not allowed for ${request.kind}` }];
    return [];
  });
  const issues = [...shape, ...expressionIssues(request)];
  const first = issues[0];
  return first && new Refusal('invalid-limit', `${first.path}: ${first.message}`, { issues });
}

/** The next version of a limit, for its event. */
export function nextVersion(limit_id: string, request: LimitRequest, before: Limit | undefined): Omit<Limit, 'by' | 'changed_at_ms'> {
  const { max, window_ms, amount, per, side_effects, defer_timeout_ms, allowed, ...rest } = request;
  return {
    limit_id,
    version: (before?.version ?? 0) + 1,
    removed: false,
    ...rest,
    max: max ?? null,
    window_ms: window_ms ?? null,
    amount: amount ?? null,
    per: per ?? null,
    allowed: allowed ?? [],
    side_effects: side_effects ?? null,
    defer_timeout_ms: defer_timeout_ms ?? null,
  };
}
