import {
  type ApprovalVoted,
  type CountedVote,
  canonicalText,
  NO_RECORD_OFFSET,
  type SourcePosition,
  type ToolCall,
} from '@countersign/contracts';
import type { Cause } from '../draft.js';
import { type ApprovalDraft, about } from './draft.js';
import { identityOf, isOnePerson, type LinkPeriod, linksSince, NO_LINKS, type PersonLink } from './person-links.js';
import { recounted } from './recount.js';
import { sagaGrantOf } from './saga-grant.js';
import { grantObjection, similarOf } from './similar.js';
import {
  type Approval,
  type ApprovalMember,
  expiresAt,
  grantedParts,
  holderOf,
  membersToEnd,
  openParts,
  standingsOf,
  tallied,
} from './state.js';
import { qualifiedName } from './subject.js';
import { endOfTime, escalatedTo } from './time.js';
import {
  approvingRights,
  type Known,
  liveObjection,
  machineObjection,
  type Objection,
  objectTo,
  type RolesLeft,
  rightsIn,
  type StandingDelegation,
  type VotingRights,
} from './voting-right.js';

/** A vote on the log. `appended_at_ms` is the log's time: deadlines are compared with it. */
export interface CastVote {
  vote: ApprovalVoted;
  traceparent: string | undefined;
  appended_at_ms: number;
  source: SourcePosition;
  /** How long a granted call may be started, ms from the append of the vote. The call's deadline applies if it is earlier. */
  grant_for_ms: number;
  /** The currently active standing delegations of the call's tenant for its tool. */
  standing?: readonly StandingDelegation[];
  /** Returns the remaining roles of live voters of the call's tenant when the vote is decided. */
  roles_left: RolesLeft;
  /** The recorded links between identities of one person, of the call's tenant. */
  person_links?: readonly LinkPeriod[];
}

/** Facts besides the request itself. Links recorded after the request only make it stricter. */
export function knownFor(
  approval: Pick<Approval, 'config_offset'>,
  { standing = [], person_links = NO_LINKS, roles_left }: CastVote,
): Known {
  return { roles_left, standing, links: linksSince(person_links, approval.config_offset ?? NO_RECORD_OFFSET) };
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

/** Why a vote does not count although its voter has the right to vote in these parts; undefined if it counts. */
function objection(approval: Approval, { vote }: CastVote, rights: VotingRights): Objection | undefined {
  const parts = approval.parts.filter(({ rule }) => rights.some((right) => right.rule === rule));
  if (vote.vote === 'deny' && !vote.reason?.trim() && parts.some(({ requirement }) => requirement.reason_required_on_deny))
    return objectTo('reason_required', 'a denial of this request needs a reason');
  if ((vote.vote === 'approve' || vote.vote === 'edit') && vote.grant) return grantObjection(approval, parts, vote.grant);
  return undefined;
}

/** The voter's own rights that a delegate vote passes on to another person, or why it passes on none. */
function passedRights(
  approval: Approval,
  { voter, voter_issuer, to }: ApprovalVoted,
  rights: VotingRights,
  links: readonly PersonLink[],
): VotingRights | Objection {
  const who = { issuer: voter_issuer, id: voter.id };
  if (!to || to === voter.id || isOnePerson(links, identityOf(to), who))
    return objectTo('bad_delegate', 'name in `to` the person who decides instead');
  const own = approvingRights(approval, who, rights, links);
  if ('code' in own && own.code === 'twice') return own;
  const mine = rights.filter(({ on_behalf_of }) => on_behalf_of === null);
  if (mine.length === 0) return objectTo('bad_delegate', 'a vote that was passed on to you cannot be passed on again');
  const usable = approvingRights(approval, identityOf(to), mine, links);
  if (!('code' in usable)) return usable;
  return objectTo(
    'bad_delegate',
    usable.code === 'twice' ? `${to} has already approved` : 'four eyes: the requester of the call cannot decide it',
  );
}

type Admitted = { approval: Approval; rights: VotingRights; first: ApprovalDraft[] } | { drafts: ApprovalDraft[] };

/** The request at the time of a vote. Parts whose time is over have escalated; `first` has the drafts for that. */
function atTime(approval: Approval, { vote, appended_at_ms }: CastVote): { now: Approval; first: ApprovalDraft[]; late: boolean } {
  if (appended_at_ms < expiresAt(approval)) return { now: approval, first: [], late: false };
  const first = endOfTime(approval, vote.meta, appended_at_ms);
  const moved = first.flatMap((draft) => (draft.event_type === 'approval_escalated' ? [draft.body] : []));
  const now = moved.reduce((before, body) => escalatedTo(before, body), approval);
  return { now, first, late: true };
}

/** The rights by which a vote counts. A denial counts only in open parts. A vote does not count in parts that have escalated by now. */
function rightsOf(before: Approval, now: Approval, cast: CastVote): VotingRights | Objection {
  const { vote } = cast;
  const known = knownFor(now, cast);
  const open = vote.vote === 'deny' ? openParts(now) : now.parts;
  const parts = open.filter((part) => before.parts.some(({ rule, level }) => rule === part.rule && level === part.level));
  const rights = rightsIn(now, parts, vote, known);
  if ('code' in rights || vote.vote === 'deny') return rights;
  if (vote.vote === 'delegate') return passedRights(now, vote, rights, known.links);
  return approvingRights(now, { issuer: vote.voter_issuer, id: vote.voter.id }, rights, known.links);
}

const LATE = objectTo('late', 'too late: the time of this group of approvers has ended');

/**
 * Whether this vote may change its request, and by which rights; else the drafts to write instead (none if the vote was counted before).
 */
export function admittedVote(approval: Approval | undefined, cast: CastVote): Admitted {
  const { vote } = cast;
  const no = (why: Objection) => ({ drafts: refuseVote(cast, why) });
  if (!approval || holderOf(approval).meta.tenant_id !== vote.meta.tenant_id) return no(objectTo('not_open', 'the request is not open'));
  const known = approval.votes.some((one) => one.vote_id === vote.vote_id) || approval.passed.some((one) => one.vote_id === vote.vote_id);
  if (known) return { drafts: [] };
  const dead = machineObjection(vote.voter) ?? liveObjection(vote, cast.roles_left);
  if (dead) return no(dead);
  if (vote.vote === 'revoke') return { approval, rights: [], first: [] };
  if (approval.status === 'granted') return no(objectTo('not_open', 'the request is already granted'));
  const { now, first, late } = atTime(approval, cast);
  const isOver = late && now === approval;
  const rights = isOver ? LATE : rightsOf(approval, now, cast);
  const why = 'code' in rights ? (late ? LATE : rights) : objection(now, cast, rights);
  if (why) return { drafts: [...refuseVote(cast, why), ...first] };
  return { approval: now, rights: rights as VotingRights, first };
}

/**
 * The decision on one vote. Empty if the vote was counted before. A vote appended after the expiry of its group is refused or applies to
 * the next group; expiry never grants.
 */
export function castVote(current: Approval | undefined, cast: CastVote): ApprovalDraft[] {
  const { vote } = cast;
  const admitted = admittedVote(current, cast);
  if ('drafts' in admitted) return admitted.drafts;
  const { approval, rights, first } = admitted;
  switch (vote.vote) {
    case 'revoke':
      return revoked(approval, cast);
    case 'deny':
      return [...first, ...denied(approval, cast)];
    case 'edit':
      return [...refuseVote(cast, objectTo('bad_edit', 'the edit names no inputs that policy can judge')), ...first];
    case 'approve':
    case 'delegate':
      return [...first, ...counted(approval, cast, rights)];
  }
}

/** A vote with the rights by which it counts. */
export function countedVote(vote: ApprovalVoted, rights: VotingRights): CountedVote {
  const { vote_id, voter, voter_issuer, voted_at_ms, grant, to } = vote;
  const common = { vote_id, voter_id: voter.id, vote: vote.vote, voted_at_ms, grant, voter_issuer };
  const on_behalf_of = rights[0]?.on_behalf_of ?? null;
  return { ...common, on_behalf_of, to: vote.vote === 'delegate' ? to : null, in_parts: [...rights] };
}

/** The record of a vote that leaves the request open. `votes`: all votes that count after it. */
export function voteCounted(approval: Approval, votes: readonly CountedVote[], mine: CountedVote, cast: CastVote): ApprovalDraft {
  const { vote, source } = cast;
  const parts = standingsOf({ ...approval, votes });
  const body = { approval_id: approval.approval_id, vote_id: vote.vote_id, ...tallied(parts), counted: mine, source, parts };
  const folded = canonicalText(votes) === canonicalText(tally(approval.votes, mine)) ? {} : { votes: [...votes] };
  return { event_type: 'approval_vote_counted', ...about(holderOf(approval), vote.meta), body: { ...body, ...folded } };
}

function counted(approval: Approval, cast: CastVote, rights: VotingRights): ApprovalDraft[] {
  const { vote, source, appended_at_ms: from_ms } = cast;
  const mine = countedVote(vote, rights);
  const votes = recounted(approval, tally(approval.votes, mine), knownFor(approval, cast).links);
  if (vote.vote === 'approve' && openParts({ ...approval, votes }).length === 0)
    return grantTo(approval, approval.members, votes, {
      cause: vote.meta,
      source,
      execute_before_ms: from_ms + cast.grant_for_ms,
      from_ms,
    });
  return [voteCounted(approval, votes, mine, cast)];
}

/** Revokes an approval or a passed vote. A granted request can be revoked until one of its calls has fired: its calls are cancelled. */
function revoked(approval: Approval, cast: CastVote): ApprovalDraft[] {
  const { vote, source } = cast;
  const name = qualifiedName({ issuer: vote.voter_issuer, id: vote.voter.id });
  const own = approval.votes.some(
    (one) => isOwn(one, vote) || one.on_behalf_of === name || one.in_parts.some(({ on_behalf_of }) => on_behalf_of === name),
  );
  const passed = approval.passed.some(({ from }) => from === name);
  const machine = machineObjection(vote.voter);
  if (machine) return refuseVote(cast, machine);
  if (!own && !passed) return refuseVote(cast, objectTo('nothing_to_revoke', 'this voter has no approval to revoke'));
  if (approval.fired) return refuseVote(cast, objectTo('fired', 'too late: the call has already started'));
  const mine = countedVote(vote, []);
  const revocation = voteCounted(approval, tally(approval.votes, mine), mine, cast);
  if (approval.status === 'open') return [revocation];
  const cancelled = approval.members.map((member): ApprovalDraft => {
    const { revision, call } = member;
    const why = { reason: `${vote.voter.id} revoked the approval`, by: vote.voter, final: false, only_before_fire: true };
    return { event_type: 'call_cancelled', ...about(member, vote.meta), body: { revision, ...why, source, call } };
  });
  return [revocation, ...cancelled];
}

const isOwn = (one: CountedVote, { voter, voter_issuer }: Pick<ApprovalVoted, 'voter' | 'voter_issuer'>): boolean =>
  one.voter_id === voter.id && (one.voter_issuer === null || one.voter_issuer === voter_issuer);

/** The vote without the rights that this person gave; undefined if none are left. */
function withoutRightOf(vote: CountedVote, mine: CountedVote): CountedVote | undefined {
  const name = qualifiedName({ issuer: mine.voter_issuer, id: mine.voter_id });
  const sameVoter = vote.voter_id === mine.voter_id && (vote.voter_issuer === null || vote.voter_issuer === mine.voter_issuer);
  if (sameVoter) return undefined;
  if (vote.in_parts.length === 0) return vote.on_behalf_of === name ? undefined : vote;
  const in_parts = vote.in_parts.filter(({ on_behalf_of }) => on_behalf_of !== name);
  return in_parts.length > 0 ? { ...vote, in_parts } : undefined;
}

/** The approvals after one more vote. An approval is added; a revocation removes everything that the voter's right gave. */
export function tally(votes: readonly CountedVote[], mine: CountedVote): CountedVote[] {
  const others = votes.filter(({ vote_id }) => vote_id !== mine.vote_id);
  if (mine.vote === 'revoke') return others.flatMap((vote) => withoutRightOf(vote, mine) ?? []);
  return mine.vote === 'approve' || mine.vote === 'edit' ? [...others, mine] : others;
}

/** A joined call is granted the inputs and the tool version that people approved, not its own. */
function asApproved(approved: ToolCall, joined: ToolCall): ToolCall {
  const { tool, version, effect_class, category, contract_digest, inputs_json, inputs_digest, mapped } = approved;
  return { ...joined, tool, version, effect_class, category, contract_digest, inputs_json, inputs_digest, mapped: mapped ?? null };
}

/** What the approval also covers: the steps of its saga, or similar calls. */
const grantOf = (approval: Approval, votes: readonly CountedVote[], from_ms: number) =>
  sagaGrantOf(approval, votes, from_ms) ?? similarOf(approval, votes, from_ms);

/** Grants for members of an approval: all of them when the quorum is reached, or a single one that joins later. */
export function grantTo(
  approval: Approval,
  members: readonly ApprovalMember[],
  votes: readonly CountedVote[],
  by: { cause: Cause; source: SourcePosition; execute_before_ms: number; from_ms?: number },
): ApprovalDraft[] {
  const holder = holderOf(approval);
  const { approval_id, ruling_digest, tier, also } = approval;
  const parts = grantedParts(approval, votes);
  const asked = parts[0]?.asked ?? null;
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
      similar: member === holder && by.from_ms !== undefined ? grantOf(approval, votes, by.from_ms) : null,
      also: member === holder ? also : null,
      history_json: member.history_json ?? null,
      asked,
      parts,
    },
  }));
}

function denied(approval: Approval, { vote, source }: CastVote): ApprovalDraft[] {
  const { approval_id } = approval;
  return membersToEnd(approval).map((member) => ({
    event_type: 'approval_denied',
    ...about(member, vote.meta),
    body: { approval_id, revision: member.revision, reason: vote.reason, by: vote.voter, source, call: member.call },
  }));
}
