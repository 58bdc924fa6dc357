import type { ApprovalRequirement } from './generated/events.js';

/** Maximum duration of 'approve similar' if no policy sets one: 8 h. */
export const GRANT_MAX_MS = 8 * 3_600_000;

/** The requirement of a policy that names only roles, a quorum and a time: four eyes, and denial on expiry. */
export function plainRequirement(approver_roles: readonly string[], quorum: number, expires_after_ms: number): ApprovalRequirement {
  return {
    approver_roles: [...approver_roles],
    people: [],
    quorum,
    four_eyes: true,
    expires_after_ms,
    on_expiry: 'deny',
    escalate_to: [],
    reason_required_on_deny: false,
    reminders_ms: [],
    sla_ms: null,
    grant_max_ms: GRANT_MAX_MS,
    distinct: false,
  };
}
