import { callError, type ToolCall } from '@countersign/contracts';
import type { Judgement } from '@countersign/domain';
import { deniedBy } from './limit-ruling.js';

/** How long a call waits for the calls that it depends on. Its deadline applies if it is earlier. */
const WAIT_MAX_MS = 10 * 60_000;
const DONE: ReadonlySet<string> = new Set(['succeeded']);
/** in_doubt: the outcome is unknown. */
const WAITING: ReadonlySet<string> = new Set(['pending_policy', 'pending_approval', 'running', 'in_doubt']);

/** True if the status is final. */
export const hasEnded = (status: string): boolean => !WAITING.has(status);

/** A call that may name other calls which must succeed first. */
export interface Dependent {
  tenant_id: string;
  call: ToolCall;
  at_ms: number;
}

export const dependsOn = (call: ToolCall): readonly string[] => call.context.depends_on ?? [];

/**
 * The ruling on a call that depends on others: deferred while one of them runs, denied if one did not succeed; undefined if all succeeded.
 */
export function prerequisiteRuling(
  { tenant_id, call, at_ms }: Dependent,
  statuses: ReadonlyMap<string, string>,
  judgement: Judgement,
): Judgement | undefined {
  const left = dependsOn(call).filter((call_id) => !DONE.has(statuses.get(`${tenant_id}/${call_id}`) ?? ''));
  if (left.length === 0) return undefined;
  const failed = left.find((call_id) => !WAITING.has(statuses.get(`${tenant_id}/${call_id}`) ?? 'running'));
  if (failed !== undefined) {
    const status = statuses.get(`${tenant_id}/${failed}`);
    const rule = 'prerequisite.not_succeeded';
    const message = `call ${failed}, which this call depends on, is ${status}`;
    return deniedBy({ rule, reason: callError('POLICY_DENIED', message, { details: { rule, call_id: failed, status } }) }, judgement);
  }
  const rule = 'prerequisite.running';
  const reason = callError('TIMEOUT', `waits for ${left.join(', ')}`, { details: { rule, call_ids: left } });
  const timeout_at_ms = Math.min(at_ms + WAIT_MAX_MS, call.deadline_ms ?? Number.MAX_SAFE_INTEGER);
  const defer = {
    until: 'call_ended' as const,
    call_ids: left,
    wake_at_ms: null,
    limit_id: null,
    timeout_at_ms,
    on_timeout: 'deny' as const,
  };
  return { ...judgement, effect: 'defer', rule, reason, defer };
}
