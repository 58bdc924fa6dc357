import { callError, type LimitExceeded, type LimitKind, type LimitSettlement, sha256Hex } from '@countersign/contracts';
import { type Applied, appliedLimits, bindingsOf } from './compiled-limits.js';
import { amountOf, type GuardRefusal, guardBy, limitRule } from './guards.js';
import { costOf, type Limit, type LimitedCall, reachesOut } from './limited-call.js';

/** The demand of a call on one counter. Amounts in millionths. */
export interface CounterDemand {
  counter: string;
  limit_id: string;
  subject: string;
  per: string;
  amount_micro: number;
  max_micro: number;
  window_ms: number | null;
  settle: LimitSettlement;
  on_exceeded: LimitExceeded;
  defer_timeout_ms: number | null;
}

const MICRO = 1_000_000;
const PER_CHARS_MAX = 100;
const NONE: readonly CounterDemand[] = [];

const settlements: Readonly<Partial<Record<LimitKind, LimitSettlement>>> = {
  max_tool_calls: 'attempt',
  rate: 'attempt',
  egress: 'attempt',
  cumulative: 'effect',
  max_budget: 'cost',
};

/** The key of a counter. */
export function counterKey(tenant_id: string, limit_id: string, subject: string, per: string): string {
  return sha256Hex(JSON.stringify([tenant_id, limit_id, subject, per]));
}

const micro = (value: number | undefined): number | undefined => {
  const whole = value === undefined ? Number.NaN : Math.round(value * MICRO);
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined;
};

/** The value of `per`; undefined if it is not a text, number or bool. */
function perOf({ per }: Applied, on: LimitedCall): string | undefined {
  if (per === null) return '';
  if (per === 'unreadable') return undefined;
  const outcome = per.evaluate(bindingsOf(on));
  const value = 'value' in outcome ? outcome.value : undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function demandsOfOne(one: Applied, settle: LimitSettlement, on: LimitedCall): CounterDemand[] | undefined {
  const { limit_id, max, window_ms, on_exceeded, defer_timeout_ms } = one.limit;
  const amount_micro = micro(amountOf(one, on, settle === 'cost' ? costOf(on) : 1));
  const per = perOf(one, on);
  if (amount_micro === undefined || per === undefined) return undefined;
  const max_micro = micro(max ?? 0) ?? 0;
  return one.subjects.map((subject) => ({
    counter: counterKey(on.tenant_id, limit_id, subject, per),
    limit_id,
    subject,
    per: per.slice(0, PER_CHARS_MAX),
    amount_micro,
    max_micro,
    window_ms,
    settle,
    on_exceeded,
    defer_timeout_ms,
  }));
}

function runBudget(on: LimitedCall): CounterDemand[] {
  const { run_id, context } = on.call;
  const amount_micro = micro(costOf(on));
  if (context.run_budget === null || run_id === null || amount_micro === undefined) return [];
  const limit_id = 'context.run_budget';
  const counter = counterKey(on.tenant_id, limit_id, run_id, '');
  const max_micro = micro(context.run_budget) ?? 0;
  const plain = { window_ms: null, settle: 'cost', on_exceeded: 'deny', defer_timeout_ms: null } as const;
  return [{ counter, limit_id, subject: run_id, per: '', amount_micro, max_micro, ...plain }];
}

/**
 * The demands of a call on the counters of its tenant's limits; empty for most calls. A refusal if a limit forbids the call by itself, or
 * its expressions fail: a call that cannot be counted is not allowed. Pure; never throws.
 */
export function demandsOf(limits: readonly Limit[], on: LimitedCall): readonly CounterDemand[] | GuardRefusal {
  const applied = appliedLimits(limits, on);
  const guard = guardBy(applied, on);
  if (guard || applied.length === 0) return guard ?? NONE;
  const demands: CounterDemand[] = [];
  for (const one of applied) {
    const { kind, limit_id } = one.limit;
    const settle = settlements[kind];
    if (settle === undefined || (kind === 'egress' && !reachesOut(on))) continue;
    const wanted = demandsOfOne(one, settle, on);
    if (!wanted) return uncountable(limit_id, kind);
    demands.push(...wanted);
  }
  demands.push(...runBudget(on));
  return demands.length === 0 ? NONE : demands;
}

function uncountable(limit_id: string, kind: LimitKind): GuardRefusal {
  const rule = limitRule(limit_id);
  const reason = callError('POLICY_DENIED', `limit ${limit_id} cannot determine the amount of this call`, {
    details: { rule, limit_id, kind },
  });
  return { rule, reason };
}
