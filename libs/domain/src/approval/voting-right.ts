import type { Principal } from '@countersign/contracts';
import type { Approval } from './state.js';

/** Why a vote does not count: `approval_vote_refused.code`. */
export type VoteRefusal =
  | 'not_open'
  | 'late'
  | 'agent'
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

/** Somebody's standing word that somebody else decides meanwhile; active when it is looked at. */
export interface StandingDelegation {
  from: Principal;
  to: string;
}

/** Whose right a vote uses: the voter's own, or that of who passed it on. */
export interface VotingRight {
  on_behalf_of: string | null;
}

export const objectTo = (code: VoteRefusal, reason: string): Objection => ({ code, reason });

/** Whether a person is one of those who are asked. */
function isAsked(approval: Pick<Approval, 'approver_roles' | 'people'>, voter: Principal): boolean {
  if (voter.roles.includes('admin') || approval.people.includes(voter.id)) return true;
  return approval.approver_roles.some((role) => voter.roles.includes(role));
}

/** Whether four eyes keep this person from approving: who asked, and who answers for the agent that did. */
export function isBarred(approval: Approval, id: string): boolean {
  if (!approval.requirement.four_eyes) return false;
  return approval.barred.includes(id) || approval.members.some((member) => member.call.principal.id === id);
}

function whoIsAsked({ approver_roles, people }: Approval): string {
  const named = people.length > 0 ? `, or to be ${people.join(', ')}` : '';
  return `voting needs one of the roles ${[...approver_roles, 'admin'].join(', ')}${named}, or a delegation of somebody who has it`;
}

/** Why nothing but a person votes, or undefined: a service has roles and a key as people do, and decides nothing either. */
export function machineObjection({ kind }: Principal): Objection | undefined {
  if (kind === 'user') return undefined;
  return objectTo('agent', `${kind === 'agent' ? 'an agent' : 'a service'} cannot vote: a person decides`);
}

/** The right by which this person votes, or why there is none. A passed right is gone until it is taken back. */
export function rightOf(approval: Approval, voter: Principal, standing: readonly StandingDelegation[]): VotingRight | Objection {
  const machine = machineObjection(voter);
  if (machine) return machine;
  const gone = approval.passed.find(({ from }) => from === voter.id);
  const passed = approval.passed.find(({ to }) => to === voter.id);
  if (isAsked(approval, voter) && !gone) return { on_behalf_of: null };
  if (passed) return { on_behalf_of: passed.from };
  const from = standing.find(({ from, to }) => to === voter.id && from.kind === 'user' && from.id !== voter.id && isAsked(approval, from))
    ?.from.id;
  if (from !== undefined && !approval.passed.some((one) => one.from === from)) return { on_behalf_of: from };
  if (gone) return objectTo('not_entitled', `this vote was passed to ${gone.to}: revoke that first`);
  return objectTo('not_entitled', whoIsAsked(approval));
}

/** Whether this person, or the one whose right it is, has an approval here already. */
export function hasApproved(approval: Approval, voter_id: string, { on_behalf_of }: VotingRight): boolean {
  const mine = new Set([voter_id, on_behalf_of ?? voter_id]);
  return approval.votes.some((vote) => mine.has(vote.voter_id) || (vote.on_behalf_of !== null && mine.has(vote.on_behalf_of)));
}
