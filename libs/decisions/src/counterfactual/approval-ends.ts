import { endOfTime, expiresAt, holderOf, openParts, type RulingDraft } from '@countersign/domain';
import type { SimulatedWorld } from './simulated-world.js';

/** The polling of a service may notice an expiry this much later. */
const SEEN_LATER_MS = 5000;

/** Plans the ends of the parts of an open request. */
export function planEnds({ rulings, timeline }: SimulatedWorld, approval_id: string): void {
  const approval = rulings.approvals.get(approval_id);
  if (approval?.status !== 'open') return;
  for (const { expires_at_ms } of openParts(approval)) timeline.add(expires_at_ms, 0, { kind: 'expire', approval_id });
}

/** The drafts when a part of a request was not met in time. If the record shows an escalation then, its recorded time is used. */
export function statedAtEnd({ rulings, now_ms, records }: SimulatedWorld, approval_id: string): RulingDraft[] {
  const approval = rulings.approvals.get(approval_id);
  if (approval?.status !== 'open' || expiresAt(approval) > now_ms) return [];
  const due = openParts(approval).find(({ expires_at_ms }) => expires_at_ms <= now_ms);
  const then_ms = due && records.escalatedAt(holderOf(approval).meta.call_id as string, approval_id, due);
  const isThen = then_ms !== undefined && then_ms >= now_ms && then_ms - now_ms < SEEN_LATER_MS;
  return endOfTime(approval, holderOf(approval).meta, isThen ? then_ms : now_ms);
}
