import { type ApprovalGroup, type ApprovalRequirement, type GrantedTerms, plainRequirement } from '@countersign/contracts';

/** What a ruling says about the people to ask; `requirement` where a policy names one, else the other three are all. */
export interface Asking {
  approver_roles: readonly string[];
  quorum: number;
  expires_after_ms: number;
  requirement?: ApprovalRequirement | null;
}

/** The whole requirement of a ruling: its own, or four eyes with a quorum of the roles and a denial by time. */
export function requirementOf({ approver_roles, quorum, expires_after_ms, requirement }: Asking): ApprovalRequirement {
  return requirement ?? plainRequirement(approver_roles, quorum, expires_after_ms);
}

/** Who decides: a role or a name is enough. */
export type Deciders = Pick<ApprovalGroup, 'approver_roles' | 'people'>;

/** The group of a requirement at a level (0: first), or the first one where it has no such level. */
export function decidersAt(requirement: ApprovalRequirement, level: number): Deciders {
  return requirement.escalate_to[level - 1] ?? requirement;
}

/** Whether the group includes a role or person that the requirement does not include at that level. */
export function asksOthers(now: ApprovalRequirement, level: number, then: Deciders): boolean {
  const { approver_roles, people } = decidersAt(now, level);
  return then.approver_roles.some((role) => !approver_roles.includes(role)) || then.people.some((id) => !people.includes(id));
}

/** Whether the current requirement has another group than the granted one, or adds four eyes. */
export function asksOthersNow(now: ApprovalRequirement, granted: GrantedTerms): boolean {
  return asksOthers(now, granted.level, granted) || (now.four_eyes && !granted.four_eyes);
}
