import { approvalId } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';

/** An event of approval-granted that ends a wait without a grant. */
export type Closing = Extract<Recorded, { event_type: 'approval_denied' | 'approval_expired' | 'call_cancelled' }>;

function isClosing(at: Recorded): at is Closing {
  if (at.event_type === 'call_cancelled') return at.event.final;
  return at.event_type === 'approval_denied' || at.event_type === 'approval_expired';
}

/** The approval that a closing is about; a cancellation names only the ruling that asked for it. */
export function closedApproval({ event }: Closing): string {
  return 'approval_id' in event ? event.approval_id : approvalId(event.meta.call_id as string, event.revision);
}

/** The approvals that an event says will never be granted: denied, expired, cancelled, or asked anew about edited inputs. */
export function closedBy(at: Recorded): string[] {
  if (isClosing(at)) return [closedApproval(at)];
  return at.event_type === 'approval_requested' && at.event.edit ? [at.event.edit.approval_id] : [];
}
