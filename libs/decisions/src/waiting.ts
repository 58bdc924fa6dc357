import { callError } from '@countersign/contracts';
import type { Deferred, Judgement, LimitLedger } from '@countersign/domain';
import type { Question, Resumed } from './question.js';

/** The ended calls among those that others wait for. */
export interface WaitedFor {
  has(tenant_id: string, call_id: string): boolean;
}

/** A waiting call that must be judged again, and whether its condition was met. */
export interface DueDeferral {
  call_id: string;
  deferred: Deferred;
  came: boolean;
}

function cameOf({ meta, deferral }: Deferred, now_ms: number, ended: WaitedFor): boolean {
  if (deferral.until === 'call_ended') return deferral.call_ids.every((call_id) => ended.has(meta.tenant_id, call_id));
  return now_ms >= (deferral.wake_at_ms ?? 0);
}

/** The due waiting calls, in the order in which they began to wait. Times are the database's. */
export function dueDeferrals(ledger: LimitLedger, now_ms: number, ended: WaitedFor): DueDeferral[] {
  const due: DueDeferral[] = [];
  for (const [call_id, deferred] of ledger.deferred) {
    const came = cameOf(deferred, now_ms, ended);
    if (came || now_ms >= deferred.deferral.timeout_at_ms) due.push({ call_id, deferred, came });
  }
  return due;
}

/** The question for a waiting call, which has no record of its own. */
export function questionAgain({ call_id, deferred, came }: DueDeferral, now_ms: number): Omit<Question, 'key_is_known' | 'held_by'> {
  const { meta, call, revision, deferral, rule, waited } = deferred;
  const { timeout_at_ms, until } = deferral;
  const resumed: Resumed = {
    rule,
    timed_out: now_ms >= timeout_at_ms,
    timeout_at_ms,
    waited: came && until === 'call_ended' ? [...waited, rule] : waited,
  };
  return {
    call_id,
    revision: revision + 1,
    at_ms: now_ms,
    tenant_id: meta.tenant_id,
    call,
    resumed,
    at_execution: false,
  };
}

/**
 * Turns a deferral into the ruling for a timeout if the wait timed out; otherwise keeps the first timeout. What defers the call now says what
 * follows a timeout: a limit that is full denies, also if the call waited for a rule that would then ask.
 */
export function afterWaiting(resumed: Resumed | undefined, judgement: Judgement): Judgement {
  if (!resumed || judgement.effect !== 'defer' || !judgement.defer) return judgement;
  const { timed_out, timeout_at_ms } = resumed;
  const { rule, defer } = judgement;
  if (!timed_out) return { ...judgement, defer: { ...defer, timeout_at_ms: Math.min(defer.timeout_at_ms, timeout_at_ms) } };
  if (defer.on_timeout === 'require_approval')
    return { ...judgement, effect: 'require_approval', tier: 'tier_2_approval_required', reason: null, defer: null };
  const reason = callError('TIMEOUT', `${rule}: the call waited for a condition that was not met in time`, {
    details: { rule },
    retryable: true,
  });
  return { ...judgement, effect: 'deny', tier: 'tier_3_blocked', reason, defer: null };
}

/** True if the new ruling defers the call by the same rule: it keeps waiting. */
export const waitsOn = ({ effect, rule }: Judgement, { deferral, rule: before }: Deferred): boolean =>
  effect === 'defer' && rule === before && deferral !== null;
