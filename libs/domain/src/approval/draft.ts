import type { Cause, Draft } from '../draft.js';
import type { ApprovalMember } from './state.js';

export type ApprovalDraft = Draft<
  | 'approval_granted'
  | 'approval_denied'
  | 'approval_expired'
  | 'approval_escalated'
  | 'approval_reminded'
  | 'approval_vote_counted'
  | 'approval_vote_refused'
  | 'call_cancelled'
>;

/** The common fields of every draft about a waiting call. */
export const about = (member: ApprovalMember, cause: Cause) => ({
  of: member.meta,
  cause,
  key: member.call.idempotency_key,
  traceparent: member.traceparent,
});
