import type { ApprovalGroup } from '@countersign/contracts';
import type { Cause } from '../draft.js';
import { type ApprovalDraft, about } from './draft.js';
import { type Approval, holderOf } from './state.js';

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

/** The group that it goes to when nobody of the present one decides in time. */
function nextGroup({ requirement, level }: Approval): ApprovalGroup | undefined {
  return requirement.on_expiry === 'escalate' ? requirement.escalate_to[level] : undefined;
}

/**
 * What becomes of a request whose time is over: it goes to the next group with new time, or it expires. It is never
 * granted. Empty where it is not open.
 */
export function endOfTime(approval: Approval, cause: Cause, now_ms: number): ApprovalDraft[] {
  const group = nextGroup(approval);
  const { call, revision } = holderOf(approval);
  const deadline_ms = call.deadline_ms ?? Number.MAX_SAFE_INTEGER;
  if (!group || approval.expires_at_ms >= deadline_ms) return expireApproval(approval, cause);
  if (approval.status !== 'open') return [];
  const escalated_at_ms = Math.max(now_ms, approval.expires_at_ms);
  const { approver_roles, people, quorum, expires_after_ms } = group;
  const body = {
    approval_id: approval.approval_id,
    revision,
    level: approval.level + 1,
    approver_roles,
    people,
    quorum,
    escalated_at_ms,
    expires_at_ms: Math.min(escalated_at_ms + expires_after_ms, deadline_ms),
    call,
  };
  return [{ event_type: 'approval_escalated', ...about(holderOf(approval), cause), body }];
}

/** When something about an open request falls due besides its end: reminders and its target, epoch ms. */
export function dueTimes({ requirement, requested_at_ms }: Approval): number[] {
  const after = [...requirement.reminders_ms, ...(requirement.sla_ms === null ? [] : [requirement.sla_ms])];
  return after.map((ms) => requested_at_ms + ms);
}

/** The newest reminder that is due and was not sent, and whether the target was missed. */
export function remind(approval: Approval, cause: Cause, now_ms: number): ApprovalDraft[] {
  if (approval.status !== 'open') return [];
  const { requirement, requested_at_ms, approval_id, expires_at_ms } = approval;
  const waited_ms = now_ms - requested_at_ms;
  const due = Math.max(0, ...requirement.reminders_ms.filter((ms) => ms <= waited_ms));
  const { call, revision } = holderOf(approval);
  const said = (kind: 'reminder' | 'sla_missed', after_ms: number): ApprovalDraft => ({
    event_type: 'approval_reminded',
    ...about(holderOf(approval), cause),
    body: { approval_id, revision, kind, after_ms, reminded_at_ms: now_ms, expires_at_ms, call },
  });
  const { sla_ms } = requirement;
  return [
    ...(due > approval.reminded_ms ? [said('reminder', due)] : []),
    ...(sla_ms !== null && sla_ms <= waited_ms && !approval.sla_missed ? [said('sla_missed', sla_ms)] : []),
  ];
}
