import { type ApprovalGroup, type ApprovalRequirement, type GrantedTerms, plainRequirement } from '@countersign/contracts';

/** The approval terms of a ruling. `requirement`, if a policy sets one, replaces the other three fields. */
export interface Asking {
  approver_roles: readonly string[];
  quorum: number;
  expires_after_ms: number;
  requirement?: ApprovalRequirement | null;
}

/** The full requirement of a ruling: its own, or the plain one: four eyes, a quorum of the roles, and denial on expiry. */
export function requirementOf({ approver_roles, quorum, expires_after_ms, requirement }: Asking): ApprovalRequirement {
  return requirement ?? plainRequirement(approver_roles, quorum, expires_after_ms);
}

/** The people who may decide: by role or by name. */
export type Deciders = Pick<ApprovalGroup, 'approver_roles' | 'people'>;

/** The group of a requirement at a level (0: first), or the first group if it has no such level. */
export function decidersAt(requirement: ApprovalRequirement, level: number): Deciders {
  return requirement.escalate_to[level - 1] ?? requirement;
}

/** True if the group includes a role or person that the requirement lacks at that level. */
export function asksOthers(now: ApprovalRequirement, level: number, then: Deciders): boolean {
  const { approver_roles, people } = decidersAt(now, level);
  return then.approver_roles.some((role) => !approver_roles.includes(role)) || then.people.some((id) => !people.includes(id));
}

/** True if the granted group includes a role or person that the current requirement lacks, or if four eyes are new. */
export function asksOthersNow(now: ApprovalRequirement, granted: GrantedTerms): boolean {
  return asksOthers(now, granted.level, granted) || (now.four_eyes && !granted.four_eyes);
}
