import type { RefusalKind, RefusalReason } from '@countersign/calls';
import type { ApprovalVoted } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';

/** The decision of the policy service on a vote. */
export type Verdict = { kind: 'counted'; at: PlacedEvent } | { kind: 'refused'; reason: string; code: string };

/** Maps the refusal of a vote to a status: 403 if the person may not vote, 400 if the vote is invalid, otherwise 409. */
export function refusedAs(code: string): { kind: RefusalKind; reason?: RefusalReason } {
  switch (code) {
    case 'agent':
      return { kind: 'forbidden', reason: 'user_required' };
    case 'not_live':
    case 'not_entitled':
      return { kind: 'forbidden', reason: 'role_missing' };
    case 'four_eyes':
      return { kind: 'forbidden', reason: 'second_person_required' };
    case 'reason_required':
    case 'bad_delegate':
    case 'bad_grant':
      return { kind: 'invalid-request' };
    case 'not_open':
    case 'late':
      return { kind: 'late-vote' };
    default:
      return { kind: 'vote-refused' };
  }
}

/** True if this event is the policy service's decision on this vote. */
export function verdictOn(
  vote: Pick<ApprovalVoted, 'approval_id' | 'vote_id' | 'vote' | 'voter'>,
  at: PlacedEvent | undefined,
): Verdict | undefined {
  switch (at?.event_type) {
    case 'approval_vote_counted':
      return at.event.vote_id === vote.vote_id ? { kind: 'counted', at } : undefined;
    case 'approval_vote_refused':
      return at.event.vote_id === vote.vote_id ? { kind: 'refused', reason: at.event.reason, code: at.event.code } : undefined;
    case 'approval_requested':
      return at.event.edit?.vote_id === vote.vote_id ? { kind: 'counted', at } : undefined;
    case 'approval_granted':
      return at.event.votes.some((counted) => counted.vote_id === vote.vote_id) ? { kind: 'counted', at } : undefined;
    case 'approval_denied':
      return vote.vote === 'deny' && at.event.approval_id === vote.approval_id && at.event.by.id === vote.voter.id
        ? { kind: 'counted', at }
        : undefined;
    default:
      return undefined;
  }
}
