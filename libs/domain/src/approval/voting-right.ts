import type { ApprovalVoted, CountedVote, PartRight, Principal, ToolCall } from '@countersign/contracts';
import { type ApprovalPart, countsIn, givenBy, groupOf } from './part.js';
import { identityOf, includesOne, isOnePerson, type PersonLink } from './person-links.js';
import type { Approval } from './state.js';
import { type Identity, isNamed, LOCAL_ISSUER, qualifiedName } from './subject.js';

/** Why a vote does not count: `approval_vote_refused.code`. */
export type VoteRefusal =
  | 'not_open'
  | 'late'
  | 'agent'
  | 'not_live'
  | 'not_entitled'
  | 'four_eyes'
  | 'twice'
  | 'nothing_to_revoke'
  | 'fired'
  | 'reason_required'
  | 'bad_delegate'
  | 'bad_edit'
  | 'bad_grant'
  | 'refused';

export interface Objection {
  code: VoteRefusal;
  reason: string;
}

/** A standing delegation from one person to another that is active at the time of the check. */
export interface StandingDelegation {
  from: Principal;
  /** Issuer of `from`; null: unknown. */
  from_issuer?: string | null;
  /** Qualified name. */
  to: string;
}

/** The parts in which a vote counts, and by whose right. Empty only for a revocation. */
export type VotingRights = readonly PartRight[];

/** The voter and the issuer of the voter. */
export type Voter = Pick<ApprovalVoted, 'voter' | 'voter_issuer'>;

export const objectTo = (code: VoteRefusal, reason: string): Objection => ({ code, reason });

/** True if a person is in the group of a part, by role or by name. */
function isRequested(part: ApprovalPart, who: Identity, roles: readonly string[]): boolean {
  const { approver_roles, people } = groupOf(part);
  return isNamed(people, who) || approver_roles.some((role) => roles.includes(role));
}

/** The requester of a call. A person with a key of this installation is local; for others the call does not record the issuer. */
export function requesterOf({ principal, authority }: ToolCall): Identity {
  return { issuer: authority?.agent_token_ref.startsWith('key:') ? LOCAL_ISSUER : null, id: principal.id };
}

/** The people excluded by four eyes, from the names in the request: an owner is local; for other people only the subject is known. */
export function barredIdentities(barred: readonly string[], calls: readonly ToolCall[]): Identity[] {
  const requesters = calls.map(requesterOf);
  const isUnknown = (id: string) =>
    calls.some(({ authority }) => authority?.on_behalf_of?.id === id) || requesters.some((one) => one.id === id && one.issuer === null);
  return [...requesters, ...barred.map((id) => ({ issuer: isUnknown(id) ? null : LOCAL_ISSUER, id }))];
}

/** True if four eyes exclude this person from approving a part: the requester, or the owner of a requesting agent. */
export function isBarred(
  { barred, members }: Pick<Approval, 'barred' | 'members'>,
  part: ApprovalPart,
  who: Identity,
  links: readonly PersonLink[],
): boolean {
  if (!part.requirement.four_eyes) return false;
  return includesOne(
    links,
    barredIdentities(
      barred,
      members.map(({ call }) => call),
    ),
    who,
  );
}

function requestedVoters(parts: readonly ApprovalPart[]): string {
  const roles = [...new Set(parts.flatMap((part) => groupOf(part).approver_roles))];
  const people = [...new Set(parts.flatMap((part) => groupOf(part).people))];
  const who = [
    ...(roles.length > 0 ? [`one of the roles ${roles.join(', ')}`] : []),
    ...(people.length > 0 ? [`to be ${people.join(', ')}`] : []),
  ];
  return `voting needs ${who.join(', or ')}, or a delegation from a person who may vote`;
}

/** Why an agent or a service may not vote, whatever its roles; undefined for a person. */
export function machineObjection({ kind }: Principal): Objection | undefined {
  if (kind === 'user') return undefined;
  return objectTo('agent', `${kind === 'agent' ? 'an agent' : 'a service'} cannot vote: a person decides`);
}

/** Returns those of the given roles that a person still has when a vote is decided; undefined: the person is not live. */
export type RolesLeft = (who: Identity, roles: readonly string[], as: 'voter' | 'giver') => readonly string[] | undefined;

/** Facts that determine who may decide: live people, active delegations, and links between identities of one person. */
export interface Known {
  roles_left: RolesLeft;
  standing: readonly StandingDelegation[];
  links: readonly PersonLink[];
}

/** Why a voter may not decide (any more); undefined if the voter is a live person. Applies to every channel. */
export function liveObjection({ voter, voter_issuer }: Voter, roles_left: RolesLeft): Objection | undefined {
  if (roles_left({ issuer: voter_issuer, id: voter.id }, voter.roles, 'voter')) return undefined;
  const needed =
    voter_issuer === null || voter_issuer === LOCAL_ISSUER
      ? 'a voter needs a key that is neither revoked nor expired'
      : `a voter of ${voter_issuer} needs a recently verified token, and ${voter_issuer} must be a configured identity provider`;
  return objectTo('not_live', `${voter.id} can no longer vote: ${needed}`);
}

/** True if a person who delegated their vote could still vote in the part. */
function mayStillPass(part: ApprovalPart, from: string, roles_left: RolesLeft): boolean {
  const giver = identityOf(from);
  const roles = roles_left(giver, groupOf(part).approver_roles, 'giver');
  return roles !== undefined && isRequested(part, giver, roles);
}

/**
 * The right by which this person votes in a part, or why there is none. A person who delegated the vote has no right until they revoke the
 * delegation.
 */
function rightIn(approval: Approval, part: ApprovalPart, by: Voter, { standing, links, roles_left }: Known): PartRight | Objection {
  const { rule } = part;
  const who = { issuer: by.voter_issuer, id: by.voter.id };
  const name = qualifiedName(who);
  const here = approval.passed.filter(({ rules }) => rules.length === 0 || rules.includes(rule));
  const passedOn = here.find(({ from }) => from === name);
  const roles = roles_left(who, by.voter.roles, 'voter') ?? [];
  if (!passedOn && isRequested(part, who, roles)) return { rule, on_behalf_of: null };
  const passed = here.find(({ to, from }) => to === name && mayStillPass(part, from, roles_left));
  if (passed) return { rule, on_behalf_of: passed.from };
  const giver = standing.filter((one) => one.to === name && one.from.kind === 'user').find((one) => mayGive(part, one, who, links));
  const from = giver && qualifiedName({ issuer: giver.from_issuer ?? null, id: giver.from.id });
  if (from !== undefined && !here.some((one) => one.from === from)) return { rule, on_behalf_of: from };
  if (!passedOn && isRequested(part, who, by.voter.roles))
    return objectTo('not_live', `${by.voter.id} has lost the role that this vote needs: ${requestedVoters([part])}`);
  if (passedOn) return objectTo('not_entitled', `this vote was passed to ${passedOn.to}: revoke that first`);
  return objectTo('not_entitled', requestedVoters([part]));
}

/** True if a standing delegation comes from another person who is in the group of the part. */
function mayGive(
  part: ApprovalPart,
  { from, from_issuer = null }: StandingDelegation,
  to: Identity,
  links: readonly PersonLink[],
): boolean {
  const giver = { issuer: from_issuer, id: from.id };
  return !isOnePerson(links, giver, to) && isRequested(part, giver, from.roles);
}

/** The identity of the voter. */
export const voterOf = ({ voter_issuer, voter_id }: Pick<CountedVote, 'voter_issuer' | 'voter_id'>): Identity => ({
  issuer: voter_issuer,
  id: voter_id,
});

/** True if one of these votes in this part is an approval by this person, or by the person whose right is used. */
function hasApproved(
  votes: readonly CountedVote[],
  who: Identity,
  { rule, on_behalf_of }: PartRight,
  links: readonly PersonLink[],
): boolean {
  const mine = [who, ...(on_behalf_of === null ? [] : [identityOf(on_behalf_of)])];
  return votes.some((vote) => {
    if (!countsIn(vote, rule)) return false;
    const from = givenBy(vote, rule);
    return includesOne(links, mine, voterOf(vote)) || (from !== null && includesOne(links, mine, identityOf(from)));
  });
}

const FOUR_EYES = objectTo('four_eyes', 'four eyes: the requester of the call and the owner of the requester cannot approve it');
const TWICE = objectTo('twice', 'this voter has already approved: each approval needs a different person');

/** Why an approval by an entitled person does not count in a part after these votes; undefined if it counts. */
export function objectionIn(
  approval: Pick<Approval, 'barred' | 'members' | 'votes'>,
  part: ApprovalPart,
  who: Identity,
  right: PartRight,
  links: readonly PersonLink[],
): Objection | undefined {
  const { on_behalf_of } = right;
  const isOut = (one: Identity) => isBarred(approval, part, one, links);
  if (isOut(who) || (on_behalf_of !== null && isOut(identityOf(on_behalf_of)))) return FOUR_EYES;
  return hasApproved(approval.votes, who, right, links) ? TWICE : undefined;
}

/** The rights by which this person may vote in these parts, or why there are none. */
export function rightsIn(approval: Approval, parts: readonly ApprovalPart[], by: Voter, known: Known): VotingRights | Objection {
  const machine = machineObjection(by.voter);
  if (machine) return machine;
  const all = parts.map((part) => rightIn(approval, part, by, known));
  const rights = all.filter((one): one is PartRight => 'rule' in one);
  if (rights.length > 0) return rights;
  const objection = all.find(
    (one): one is Objection => 'code' in one && (one.code === 'not_live' || one.reason.startsWith('this vote was passed')),
  );
  return objection ?? objectTo('not_entitled', requestedVoters(parts));
}

/**
 * Those of the rights by which this person may approve, or why there are none: four eyes and one approval per person apply in each part.
 */
export function approvingRights(
  approval: Approval,
  who: Identity,
  rights: VotingRights,
  links: readonly PersonLink[],
): VotingRights | Objection {
  const objections = rights.map((right) => {
    const part = approval.parts.find(({ rule }) => rule === right.rule) as ApprovalPart;
    return objectionIn(approval, part, who, right, links);
  });
  const left = rights.filter((_, at) => objections[at] === undefined);
  return left.length > 0 ? left : (objections.find((one) => one !== undefined) ?? FOUR_EYES);
}
