import type { ApprovalVoted, CountedVote, Principal, SourcePosition, ToolCall } from '@countersign/contracts';
import type { Cause } from '../draft.js';
import { type ApprovalDraft, about } from './draft.js';
import { grantObjection, similarOf } from './similar.js';
import { type Approval, type ApprovalMember, holderOf, termsOf } from './state.js';
import { endOfTime } from './time.js';
import {
  hasApproved,
  isBarred,
  machineObjection,
  type Objection,
  objectTo,
  rightOf,
  type StandingDelegation,
  type VotingRight,
} from './voting-right.js';

/** A vote as it stands on the log. `appended_at_ms` is the log's time: deadlines go by it. */
export interface CastVote {
  vote: ApprovalVoted;
  traceparent: string | undefined;
  appended_at_ms: number;
  source: SourcePosition;
  /** How long a grant may be executed, ms from the vote's append; a call's deadline comes first. */
  grant_for_ms: number;
  /** Standing delegations that are active now, of the call's tenant and for its tool. */
  standing?: readonly StandingDelegation[];
}

export function refuseVote(
  { vote, source, traceparent }: Pick<CastVote, 'vote' | 'source' | 'traceparent'>,
  why: Objection,
): ApprovalDraft[] {
  const { approval_id, vote_id, meta } = vote;
  const key = meta.call_id ?? approval_id;
  const body = { approval_id, vote_id, reason: why.reason, source, code: why.code };
  return [{ event_type: 'approval_vote_refused', of: meta, cause: meta, key, traceparent, body }];
}

/** Why this vote does not count although its voter has a right to vote, or undefined. */
function objection(approval: Approval, { vote }: CastVote, right: VotingRight): Objection | undefined {
  const { voter } = vote;
  const approves = vote.vote === 'approve' || vote.vote === 'edit';
  if (approves && (isBarred(approval, voter.id) || (right.on_behalf_of !== null && isBarred(approval, right.on_behalf_of))))
    return objectTo('four_eyes', 'four eyes: who asked for the call, or answers for who did, cannot approve it');
  if ((approves || vote.vote === 'delegate') && hasApproved(approval, voter.id, right))
    return objectTo('twice', 'this voter has approved already: every approval needs another person');
  if (vote.vote === 'deny' && approval.requirement.reason_required_on_deny && !vote.reason?.trim())
    return objectTo('reason_required', 'a denial of this request needs a reason');
  if (vote.vote === 'delegate') return delegateObjection(approval, vote, right);
  if (approves && vote.grant) return grantObjection(approval, vote.grant);
  return undefined;
}

function delegateObjection(approval: Approval, { voter, to }: ApprovalVoted, right: VotingRight): Objection | undefined {
  if (!to || to === voter.id) return objectTo('bad_delegate', 'name in `to` who decides instead');
  if (right.on_behalf_of !== null) return objectTo('bad_delegate', 'a vote that was passed on to you cannot be passed on again');
  if (isBarred(approval, to)) return objectTo('bad_delegate', 'four eyes: who asked for the call cannot decide it');
  if (approval.votes.some((vote) => vote.voter_id === to)) return objectTo('bad_delegate', `${to} has approved already`);
  return undefined;
}

type Admitted = { approval: Approval; right: VotingRight } | { drafts: ApprovalDraft[] };

/** Whether this vote may change its request, and by whose right; else what is said instead (nothing where it was counted before). */
export function admittedVote(approval: Approval | undefined, cast: CastVote): Admitted {
  const { vote } = cast;
  const no = (why: Objection) => ({ drafts: refuseVote(cast, why) });
  if (!approval || holderOf(approval).meta.tenant_id !== vote.meta.tenant_id)
    return no(objectTo('not_open', 'the request is not open (any more)'));
  const known = approval.votes.some((one) => one.vote_id === vote.vote_id) || approval.passed.some((one) => one.vote_id === vote.vote_id);
  if (known) return { drafts: [] };
  if (vote.vote === 'revoke') return { approval, right: { on_behalf_of: null } };
  if (approval.status === 'granted') return no(objectTo('not_open', 'the request was granted already'));
  if (cast.appended_at_ms >= approval.expires_at_ms) {
    const late = refuseVote(cast, objectTo('late', 'too late: the time of this group is over'));
    return { drafts: [...late, ...endOfTime(approval, vote.meta, cast.appended_at_ms)] };
  }
  const right = rightOf(approval, vote.voter, cast.standing ?? []);
  if ('code' in right) return no(right);
  const why = objection(approval, cast, right);
  return why === undefined ? { approval, right } : no(why);
}

/**
 * The decision on one vote. Empty where this vote was counted before. A vote that the log got after the time of its group
 * is refused, or meets the next group; nothing is ever granted by time.
 */
export function castVote(asked: Approval | undefined, cast: CastVote): ApprovalDraft[] {
  const { vote } = cast;
  const admitted = admittedVote(asked, cast);
  if ('drafts' in admitted) return admitted.drafts;
  const { approval, right } = admitted;
  switch (vote.vote) {
    case 'revoke':
      return revoked(approval, cast);
    case 'deny':
      return denied(approval, cast);
    case 'edit':
      return refuseVote(cast, objectTo('bad_edit', 'the edit names no inputs that could be ruled on'));
    case 'approve':
    case 'delegate':
      return counted(approval, cast, right);
  }
}

/** The counted form of a vote. */
export function countedVote(vote: ApprovalVoted, { on_behalf_of }: VotingRight): CountedVote {
  const { vote_id, voter, voted_at_ms, grant, to } = vote;
  return { vote_id, voter_id: voter.id, vote: vote.vote, voted_at_ms, on_behalf_of, to: vote.vote === 'delegate' ? to : null, grant };
}

function counted(approval: Approval, cast: CastVote, right: VotingRight): ApprovalDraft[] {
  const { vote, source } = cast;
  const { approval_id, quorum } = approval;
  const mine = countedVote(vote, right);
  const votes = tally(approval.votes, mine).filter((one) => !isBarred(approval, one.voter_id));
  if (votes.length >= quorum && vote.vote === 'approve')
    return grantTo(approval, approval.members, votes, {
      cause: vote.meta,
      source,
      execute_before_ms: cast.appended_at_ms + cast.grant_for_ms,
      from_ms: cast.appended_at_ms,
    });
  const body = { approval_id, vote_id: vote.vote_id, approvals: votes.length, quorum, counted: mine, source };
  return [{ event_type: 'approval_vote_counted', ...about(holderOf(approval), vote.meta), body }];
}

/** Takes back an approval or a passed vote; of a grant, as long as nothing has fired: its calls are cancelled before they do. */
function revoked(approval: Approval, cast: CastVote): ApprovalDraft[] {
  const { vote, source } = cast;
  const { approval_id, quorum } = approval;
  const own = approval.votes.some((one) => one.voter_id === vote.voter.id || one.on_behalf_of === vote.voter.id);
  const passed = approval.passed.some(({ from }) => from === vote.voter.id);
  const machine = machineObjection(vote.voter);
  if (machine) return refuseVote(cast, machine);
  if (!own && !passed) return refuseVote(cast, objectTo('nothing_to_revoke', 'there is no approval of this voter to revoke'));
  if (approval.fired) return refuseVote(cast, objectTo('fired', 'too late: the call has been fired'));
  const mine = countedVote(vote, { on_behalf_of: null });
  const approvals = tally(approval.votes, mine).length;
  const body = { approval_id, vote_id: vote.vote_id, approvals, quorum, counted: mine, source };
  const said: ApprovalDraft = { event_type: 'approval_vote_counted', ...about(holderOf(approval), vote.meta), body };
  if (approval.status === 'open') return [said];
  const cancelled = approval.members.map((member): ApprovalDraft => {
    const { revision, call } = member;
    const why = { reason: `${vote.voter.id} took the approval back`, by: vote.voter, final: false, only_before_fire: true };
    return { event_type: 'call_cancelled', ...about(member, vote.meta), body: { revision, ...why, source, call } };
  });
  return [said, ...cancelled];
}

/** Approvals after one more vote: an approval adds the voter, a revocation takes away what the voter's right gave. */
export function tally(votes: readonly CountedVote[], mine: CountedVote): CountedVote[] {
  const others = votes.filter(
    (vote) => vote.voter_id !== mine.voter_id && !(mine.vote === 'revoke' && vote.on_behalf_of === mine.voter_id),
  );
  return mine.vote === 'approve' || mine.vote === 'edit' ? [...others, mine] : others;
}

/** What people saw is what runs: a joined call is granted the inputs and the tool version that were approved. */
function asApproved(approved: ToolCall, joined: ToolCall): ToolCall {
  const { tool, version, effect_class, category, contract_digest, inputs_json, inputs_digest, mapped } = approved;
  return { ...joined, tool, version, effect_class, category, contract_digest, inputs_json, inputs_digest, mapped: mapped ?? null };
}

/** Grants for members of an approval: all of them when the quorum is reached, one that joins later on its own. */
export function grantTo(
  approval: Approval,
  members: readonly ApprovalMember[],
  votes: readonly CountedVote[],
  by: { cause: Cause; source: SourcePosition; execute_before_ms: number; from_ms?: number },
): ApprovalDraft[] {
  const holder = holderOf(approval);
  const { approval_id, ruling_digest, tier, also } = approval;
  const asked = termsOf(approval);
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
      similar: member === holder && by.from_ms !== undefined ? similarOf(approval, votes, by.from_ms) : null,
      also: member === holder ? also : null,
      history_json: member.history_json ?? null,
      asked,
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
        only_before_fire: false,
      },
    }));
}
