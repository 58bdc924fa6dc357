import { callError } from '@countersign/contracts';
import { type Exceeded, type Judgement, MICRO } from '@countersign/domain';
import { type GuardRefusal, limitRule } from '@countersign/policy';

/** Default time that a call waits for a limit, ms. */
const DEFER_TIMEOUT_MS = 60_000;

/** The judgement, changed to a denial by a limit. */
export function deniedBy({ rule, reason }: GuardRefusal, judgement: Judgement): Judgement {
  return { ...judgement, effect: 'deny', tier: 'tier_3_blocked', rule, reason, defer: null };
}

/** The rule and reason for a call that exceeds a limit. If the window frees by itself, the reason has the time. */
function exceededReason({ demand, used_micro, free_at_ms }: Exceeded, at_ms: number): GuardRefusal {
  const { limit_id, subject, per, amount_micro, max_micro, window_ms } = demand;
  const rule = limitRule(limit_id);
  const [used, max, needed] = [used_micro, max_micro, amount_micro].map((micro) => micro / MICRO);
  const over = window_ms === null ? '' : ` in ${window_ms} ms`;
  const message = `limit ${limit_id}: ${used} of ${max}${over} are used, and this call needs ${needed}`;
  const details = { rule, limit_id, subject, per, used, max, asked: needed, window_ms };
  const retry_after_s = free_at_ms === null ? null : Math.max(0.001, (free_at_ms - at_ms) / 1000);
  return {
    rule,
    reason: callError(window_ms === null ? 'POLICY_DENIED' : 'RATE_LIMIT', message, {
      details,
      ...(retry_after_s === null ? {} : { retry_after_s }),
    }),
  };
}

/** The ruling on a call that exceeds a limit: denied, or deferred until it may fit. */
export function exceededRuling(exceeded: Exceeded, judgement: Judgement, at_ms: number): Judgement {
  const refusal = exceededReason(exceeded, at_ms);
  const { demand, free_at_ms } = exceeded;
  if (!canWait(exceeded)) return deniedBy(refusal, judgement);
  return {
    ...judgement,
    effect: 'defer',
    rule: refusal.rule,
    reason: refusal.reason,
    defer: {
      until: 'limit_free',
      call_ids: [],
      wake_at_ms: free_at_ms,
      limit_id: demand.limit_id,
      timeout_at_ms: at_ms + (demand.defer_timeout_ms ?? DEFER_TIMEOUT_MS),
      on_timeout: 'deny',
    },
  };
}

/** True if the call may wait for the limit: the limit defers, and the call could fit. */
export function canWait({ demand }: Exceeded): boolean {
  return demand.on_exceeded === 'defer' && demand.amount_micro <= demand.max_micro;
}
