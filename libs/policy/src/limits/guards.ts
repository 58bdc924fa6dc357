import { type CallError, callError, effectRules, type SideEffectLevel } from '@countersign/contracts';
import { type Applied, appliedLimits, bindingsOf } from './compiled-limits.js';
import { fitsOne } from './glob.js';
import { costOf, type Limit, type LimitedCall } from './limited-call.js';

/** A refusal by a limit that does not depend on other calls. */
export interface GuardRefusal {
  /** `limit.<limit_id>`. */
  rule: string;
  reason: CallError;
}

export const limitRule = (limit_id: string): string => `limit.${limit_id}`;

const LEVELS: readonly SideEffectLevel[] = ['none', 'reads', 'writes'];

/** The amount of a call by the limit's expression; undefined if the expression fails. */
export function amountOf(one: Pick<Applied, 'amount'>, on: LimitedCall, otherwise: number): number | undefined {
  if (one.amount === null) return otherwise;
  if (one.amount === 'unreadable') return undefined;
  const outcome = one.amount.evaluate(bindingsOf(on));
  const value = 'value' in outcome ? outcome.value : undefined;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function objection(one: Applied, on: LimitedCall): string | undefined {
  const { kind, max, allowed, side_effects, scope } = one.limit;
  const { call, contract } = on;
  switch (kind) {
    case 'enabled_tools':
      return fitsOne(allowed, call.tool) ? undefined : `${call.tool} is not among the tools that this ${scope} may call`;
    case 'max_iterations':
      return (call.context.iteration ?? 0) > (max ?? 0) ? `iteration ${call.context.iteration} of at most ${max ?? 0}` : undefined;
    case 'side_effects': {
      const level = effectRules[contract.effect_class].side_effects;
      const highest = side_effects ?? 'none';
      return LEVELS.indexOf(level) > LEVELS.indexOf(highest) ? `${call.tool} ${level}; the highest allowed level is ${highest}` : undefined;
    }
    case 'cost_ceiling': {
      const cost = amountOf(one, on, costOf(on));
      if (cost === undefined) return 'the cost of the call is unknown';
      return cost > (max ?? 0) ? `the call costs ${cost}, at most ${max ?? 0} is allowed` : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * The limit that forbids a call by itself: its tool is not enabled, its effect or cost is too high, or its run has too many iterations.
 * Pure. Used by policy, and by the executor before it fires.
 */
export function guardCall(limits: readonly Limit[], on: LimitedCall): GuardRefusal | undefined {
  return guardBy(appliedLimits(limits, on), on);
}

/** The same for limits that are known to apply to the call. */
export function guardBy(applied: readonly Applied[], on: LimitedCall): GuardRefusal | undefined {
  for (const one of applied) {
    const why = objection(one, on);
    if (why !== undefined) return refusal(one.limit.limit_id, one.limit.kind, why);
  }
  const budget = on.call.context.run_budget;
  if (budget === null || on.call.run_id !== null || costOf(on) <= budget) return undefined;
  return refusal('context.run_budget', 'max_budget', `the call costs ${costOf(on)}, and its budget is ${budget}`);
}

function refusal(limit_id: string, kind: string, why: string): GuardRefusal {
  const rule = limitRule(limit_id);
  return { rule, reason: callError('POLICY_DENIED', `limit ${limit_id}: ${why}`, { details: { rule, limit_id, kind } }) };
}
