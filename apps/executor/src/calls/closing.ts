import { approvalId } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';

/** An event of approval-granted that ends a wait without a grant. */
export type Closing = Extract<Recorded, { event_type: 'approval_denied' | 'approval_expired' | 'call_cancelled' }>;

function isClosing(at: Recorded): at is Closing {
  if (at.event_type === 'call_cancelled') return at.event.final;
  return at.event_type === 'approval_denied' || at.event_type === 'approval_expired';
}

/** The approval that a closing refers to; a cancellation names only the decision that requested it. */
export function closedApproval({ event }: Closing): string {
  return 'approval_id' in event ? event.approval_id : approvalId(event.meta.call_id as string, event.revision);
}

/** The approvals that an event closes without a grant: denied, expired, cancelled, or requested again for edited inputs. */
export function closedBy(at: Recorded): string[] {
  if (isClosing(at)) return [closedApproval(at)];
  return at.event_type === 'approval_requested' && at.event.edit ? [at.event.edit.approval_id] : [];
}
