import type { ApprovalVoted, CountedVote, Principal, SourcePosition, ToolCall } from '@countersign/contracts';
import type { Cause, Draft } from '../draft.js';
import { type Approval, type ApprovalMember, holderOf } from './state.js';

export type ApprovalDraft = Draft<
  'approval_granted' | 'approval_denied' | 'approval_expired' | 'approval_vote_counted' | 'approval_vote_refused' | 'call_cancelled'
>;

/** A vote as it stands on the log. `appended_at_ms` is the log's time: deadlines go by it. */
export interface CastVote {
  vote: ApprovalVoted;
  traceparent: string | undefined;
  appended_at_ms: number;
  source: SourcePosition;
  /** How long a grant may be executed, ms from the vote's append; a call's deadline comes first. */
  grant_for_ms: number;
}

const about = (member: ApprovalMember, cause: Cause) => ({
  of: member.meta,
  cause,
  key: member.call.idempotency_key,
  traceparent: member.traceparent,
});

function refused({ vote, source, traceparent }: CastVote, reason: string): ApprovalDraft[] {
  const { approval_id, vote_id, meta } = vote;
  const key = meta.call_id ?? approval_id;
  return [{ event_type: 'approval_vote_refused', of: meta, cause: meta, key, traceparent, body: { approval_id, vote_id, reason, source } }];
}

/** Why this person may not vote this way, or undefined. */
function objection(approval: Approval, { vote }: CastVote): string | undefined {
  const { voter } = vote;
  if (vote.vote === 'edit' || vote.vote === 'delegate')
    return `'${vote.vote}' is not possible for this request: approve, deny or revoke your approval`;
  if (voter.kind === 'agent') return 'an agent cannot vote: a person decides';
  if (!voter.roles.includes('admin') && !isApprover(approval, voter))
    return `voting needs one of the roles ${[...approval.approver_roles, 'admin'].join(', ')}${approval.people.length > 0 ? `, or to be ${approval.people.join(', ')}` : ''}`;
  if (vote.vote === 'approve' && isRequester(approval, voter.id)) return 'four eyes: who asked for the call cannot approve it';
  const own = approval.votes.some((counted) => counted.voter_id === voter.id);
  if (vote.vote === 'approve' && own) return 'this voter has approved already: every approval needs another person';
  if (vote.vote === 'revoke' && !own) return 'there is no approval of this voter to revoke';
  return undefined;
}

function isApprover(approval: Approval, voter: Principal): boolean {
  return approval.people.includes(voter.id) || approval.approver_roles.some((role) => voter.roles.includes(role));
}

function isRequester(approval: Approval, voter_id: string): boolean {
  if (!approval.requirement.four_eyes) return false;
  return approval.barred.includes(voter_id) || approval.members.some((member) => member.call.principal.id === voter_id);
}

/** The decision on one vote. Empty where this vote was counted before. Late votes are refused; nothing is ever granted by time. */
export function castVote(approval: Approval | undefined, cast: CastVote): ApprovalDraft[] {
  const { vote } = cast;
  if (!approval || holderOf(approval).meta.tenant_id !== vote.meta.tenant_id) return refused(cast, 'the request is not open (any more)');
  if (approval.votes.some((counted) => counted.vote_id === vote.vote_id)) return [];
  if (approval.status === 'granted') return refused(cast, 'the request was granted already');
  if (cast.appended_at_ms >= approval.expires_at_ms)
    return [...refused(cast, 'too late: the request has expired'), ...expireApproval(approval, vote.meta)];
  const reason = objection(approval, cast);
  if (reason !== undefined) return refused(cast, reason);
  if (vote.vote === 'deny') return denied(approval, cast);
  return counted(approval, cast);
}

function counted(approval: Approval, cast: CastVote): ApprovalDraft[] {
  const { vote, source } = cast;
  const { approval_id, quorum } = approval;
  const mine: CountedVote = { vote_id: vote.vote_id, voter_id: vote.voter.id, vote: vote.vote, voted_at_ms: vote.voted_at_ms };
  const votes = tally(approval.votes, mine).filter((one) => !isRequester(approval, one.voter_id));
  if (votes.length >= quorum && vote.vote === 'approve')
    return grantTo(approval, approval.members, votes, {
      cause: vote.meta,
      source,
      execute_before_ms: cast.appended_at_ms + cast.grant_for_ms,
    });
  const body = { approval_id, vote_id: vote.vote_id, approvals: votes.length, quorum, counted: mine, source };
  return [{ event_type: 'approval_vote_counted', ...about(holderOf(approval), vote.meta), body }];
}

/** Approvals after one more vote: an approval adds the voter, a revocation takes the voter's away. */
export function tally(votes: readonly CountedVote[], mine: CountedVote): CountedVote[] {
  const others = votes.filter((vote) => vote.voter_id !== mine.voter_id);
  return mine.vote === 'approve' ? [...others, mine] : others;
}

/** What people saw is what runs: a joined call is granted the inputs and the tool version that were approved. */
function asApproved(approved: ToolCall, joined: ToolCall): ToolCall {
  const { tool, version, effect_class, category, contract_digest, inputs_json, inputs_digest } = approved;
  return { ...joined, tool, version, effect_class, category, contract_digest, inputs_json, inputs_digest };
}

/** Grants for members of an approval: all of them when the quorum is reached, one that joins later on its own. */
export function grantTo(
  approval: Approval,
  members: readonly ApprovalMember[],
  votes: readonly CountedVote[],
  by: { cause: Cause; source: SourcePosition; execute_before_ms: number },
): ApprovalDraft[] {
  const holder = holderOf(approval);
  const { approval_id, ruling_digest, tier } = approval;
  return members.map((member) => ({
    event_type: 'approval_granted',
    ...about(member, by.cause),
    body: {
      approval_id,
      decision_id: member.decision_id,
      revision: member.revision,
      ruling_digest,
      votes: [...votes],
      joined_call_id: member === holder ? null : holder.meta.call_id,
      execute_before_ms: Math.min(by.execute_before_ms, member.call.deadline_ms ?? Number.MAX_SAFE_INTEGER),
      tier,
      source: by.source,
      call: member === holder ? member.call : asApproved(holder.call, member.call),
    },
  }));
}

function denied(approval: Approval, { vote, source }: CastVote): ApprovalDraft[] {
  const { approval_id } = approval;
  return approval.members.map((member) => ({
    event_type: 'approval_denied',
    ...about(member, vote.meta),
    body: { approval_id, revision: member.revision, reason: vote.reason, by: vote.voter, source, call: member.call },
  }));
}

/** Nobody decided in time: every waiting call is expired. Empty where it is not open. */
export function expireApproval(approval: Approval, cause: Cause): ApprovalDraft[] {
  if (approval.status !== 'open') return [];
  const { approval_id, expires_at_ms } = approval;
  return approval.members.map((member) => ({
    event_type: 'approval_expired',
    ...about(member, cause),
    body: { approval_id, revision: member.revision, expired_at_ms: expires_at_ms, call: member.call },
  }));
}

/**
 * Cancels one waiting call. The call that was asked for takes those that joined it along: they wait for the same effect,
 * and nobody would be asked for it any more. Empty where the call does not wait here.
 */
export function cancelWaiting(
  approval: Approval,
  call_id: string,
  by: { cause: Cause; principal: Principal; reason: string | null; source: SourcePosition },
): ApprovalDraft[] {
  if (approval.status !== 'open') return [];
  const all = holderOf(approval).meta.call_id === call_id;
  return approval.members
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
      },
    }));
}
