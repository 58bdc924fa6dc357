import { type CallState, type CallStatus, statusOf } from '@countersign/domain';

/** True if the call can be answered: it ended or is in doubt. */
export function isAnswer(status: CallStatus): boolean {
  switch (status) {
    case 'pending_policy':
    case 'pending_approval':
    case 'running':
      return false;
    default:
      return true;
  }
}

/** The answer for a waiting caller: the call ended, or a person must decide. Undefined while the facts for either are incomplete. */
export function settledAs(state: CallState): 'ended' | 'pending' | undefined {
  const status = statusOf(state);
  if (isAnswer(status)) return state.ruling ? 'ended' : undefined;
  return status === 'pending_approval' && (state.approval || state.ruling?.joined_call_id) ? 'pending' : undefined;
}
