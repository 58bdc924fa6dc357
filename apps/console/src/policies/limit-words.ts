import { exactDuration } from './exact-duration.js';
import { amount } from './gauge.js';

/** A limit as the API answers it. */
export interface Limit {
  limit_id: string;
  version: number;
  kind: string;
  scope: string;
  subjects: string[];
  tools: string[];
  max: number | null;
  window_ms: number | null;
  amount: string | null;
  per: string | null;
  allowed: string[];
  side_effects: string | null;
  on_exceeded: string;
  defer_timeout_ms: number | null;
  default: boolean;
  by: string | null;
  changed_at: string | null;
  etag: string;
}

/** Kinds of limits that count calls, so that something of them is used. */
const COUNTING = new Set(['max_tool_calls', 'max_budget', 'rate', 'egress', 'cumulative']);

export const isCounting = ({ kind }: Pick<Limit, 'kind'>): boolean => COUNTING.has(kind);

/** Each kind of limit: what it is, and the fields that it has beside those of all. */
export const LIMIT_KINDS = [
  { kind: 'rate', label: 'Calls in a time', must: ['max', 'window_ms'], may: ['per'] },
  { kind: 'max_tool_calls', label: 'Number of calls', must: ['max'], may: ['window_ms', 'per'] },
  { kind: 'max_budget', label: 'Cost of calls', must: ['max'], may: ['window_ms', 'amount', 'per'] },
  { kind: 'cumulative', label: 'Sum of an amount', must: ['max', 'amount'], may: ['window_ms', 'per'] },
  { kind: 'egress', label: 'Data that leaves', must: ['max', 'window_ms'], may: ['amount', 'per'] },
  { kind: 'cost_ceiling', label: 'Cost of one call', must: ['max'], may: ['amount'] },
  { kind: 'max_iterations', label: 'Iterations of a run', must: ['max'], may: [] },
  { kind: 'enabled_tools', label: 'Tools that may be called', must: ['allowed'], may: [] },
  { kind: 'side_effects', label: 'Highest side effect', must: ['side_effects'], may: [] },
] as const;

export type LimitField = 'max' | 'window_ms' | 'amount' | 'per' | 'allowed' | 'side_effects';

export const kindLabel = (kind: string): string => LIMIT_KINDS.find((one) => one.kind === kind)?.label ?? kind;

/** Whether limits of a kind have a field. */
export function hasField(kind: string, field: LimitField): boolean {
  const found = LIMIT_KINDS.find((one) => one.kind === kind);
  return found !== undefined && ([...found.must, ...found.may] as LimitField[]).includes(field);
}

/** A limit as one sentence: `At most 100 calls of pay_* for each agent in 1 h`. */
export function limitSentence(limit: Limit): string {
  const tools = limit.tools.length > 0 ? ` of ${limit.tools.join(', ')}` : '';
  return `${whatWords(limit, tools)} for ${whose(limit)}${windowWords(limit)}`;
}

function whatWords({ kind, max, amount: expression, per, allowed, side_effects }: Limit, tools: string): string {
  const most = max === null ? 'no limit' : `at most ${amount(max)}`;
  const with_equal = per === null ? '' : ` with an equal ${per}`;
  switch (kind) {
    case 'enabled_tools':
      return `Only ${allowed.join(', ') || 'no tool'} may be called`;
    case 'side_effects':
      return `Side effects${tools}: at most ${side_effects}`;
    case 'max_iterations':
      return `${capital(most)} iterations`;
    case 'cost_ceiling':
      return `One call${tools} costs ${most}`;
    case 'max_budget':
      return `Calls${tools}${with_equal} cost ${most} together`;
    case 'cumulative':
      return `The sum of ${expression} of calls${tools}${with_equal} is ${most}`;
    case 'egress':
      return `Data that leaves by calls${tools}${with_equal}: ${most}`;
    default:
      return `${capital(most)} calls${tools}${with_equal}`;
  }
}

const SCOPES: Readonly<Record<string, string>> = {
  tenant: 'the tenant',
  tool: 'each tool',
  capability: 'each capability',
  agent: 'each agent',
  case: 'each case',
  run: 'each run',
};

const whose = ({ scope, subjects }: Limit): string =>
  subjects.length > 0 ? `${scope} ${subjects.join(', ')}` : Object.hasOwn(SCOPES, scope) ? (SCOPES[scope] as string) : scope;

const windowWords = ({ window_ms }: Limit): string => (window_ms === null ? '' : ` in ${exactDuration(window_ms)}`);

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
