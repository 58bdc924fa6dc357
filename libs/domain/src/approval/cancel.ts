import type { Principal, SourcePosition } from '@countersign/contracts';
import type { Cause } from '../draft.js';
import { type ApprovalDraft, about } from './draft.js';
import { type Approval, holderOf, membersToEnd } from './state.js';

/**
 * Cancels one waiting call. If it is the requested call, the calls that joined it are cancelled too: they wait for the same effect, and
 * without it no approval is needed. Empty if the call does not wait in this approval.
 */
export function cancelWaiting(
  approval: Approval,
  call_id: string,
  by: { cause: Cause; principal: Principal; reason: string | null; source: SourcePosition },
): ApprovalDraft[] {
  if (approval.status !== 'open') return [];
  const all = holderOf(approval).meta.call_id === call_id;
  return membersToEnd(approval)
    .filter((member) => all || member.meta.call_id === call_id)
    .map((member) => ({
      event_type: 'call_cancelled',
      ...about(member, by.cause),
      body: {
        revision: member.revision,
        reason: member.meta.call_id === call_id ? by.reason : 'the call that it had joined was cancelled',
        by: by.principal,
        final: true,
        source: by.source,
        call: member.call,
        only_before_fire: false,
      },
    }));
}
