import type { ApprovalGroup, EventMap } from '@countersign/contracts';
import type { Cause } from '../draft.js';
import { type ApprovalDraft, about } from './draft.js';
import { type ApprovalPart, countsIn } from './part.js';
import { type Approval, expiresAt, holderOf, membersToEnd, openParts } from './state.js';

/** The approval was not decided in time: every waiting call expires. Joined calls first (`membersToEnd`). Empty if the approval is not open. */
export function expireApproval(approval: Approval, cause: Cause): ApprovalDraft[] {
  if (approval.status !== 'open') return [];
  const { approval_id } = approval;
  const expired_at_ms = expiresAt(approval);
  return membersToEnd(approval).map((member) => ({
    event_type: 'approval_expired',
    ...about(member, cause),
    body: { approval_id, revision: member.revision, expired_at_ms, call: member.call },
  }));
}

/** The group that a part escalates to; undefined if it has none. */
function nextGroup({ requirement, level }: ApprovalPart): ApprovalGroup | undefined {
  return requirement.on_expiry === 'escalate' ? requirement.escalate_to[level] : undefined;
}

/** The rule by which an event names a part; null if it is the only one. */
const ruleOf = ({ parts }: Approval, { rule }: ApprovalPart): string | null => (parts.length > 1 ? rule : null);

type Escalated = Omit<EventMap['approval_escalated'], 'meta'>;

function escalation(approval: Approval, part: ApprovalPart, group: ApprovalGroup, now_ms: number): Escalated {
  const { call, revision } = holderOf(approval);
  const escalated_at_ms = Math.max(now_ms, part.expires_at_ms);
  const { approver_roles, people, quorum, expires_after_ms } = group;
  return {
    approval_id: approval.approval_id,
    revision,
    level: part.level + 1,
    approver_roles,
    people,
    quorum,
    escalated_at_ms,
    expires_at_ms: Math.min(escalated_at_ms + expires_after_ms, call.deadline_ms ?? Number.MAX_SAFE_INTEGER),
    call,
    rule: ruleOf(approval, part),
  };
}

/** Escalations of the parts whose time is over; undefined if one of them has no next group. */
function escalations(approval: Approval, now_ms: number): Escalated[] | undefined {
  const first_ms = expiresAt(approval);
  const due = openParts(approval).filter(({ expires_at_ms }) => expires_at_ms <= Math.max(now_ms, first_ms));
  const deadline_ms = holderOf(approval).call.deadline_ms ?? Number.MAX_SAFE_INTEGER;
  const all: Escalated[] = [];
  for (const part of due) {
    const group = nextGroup(part);
    if (!group || part.expires_at_ms >= deadline_ms) return undefined;
    all.push(escalation(approval, part, group, now_ms));
  }
  return all;
}

/**
 * The drafts when a part is not met in time: each such part escalates to its next group with a new expiry, while the others keep their
 * votes. If one has no next group the request expires. Expiry never grants. Empty if the request is not open.
 */
export function endOfTime(approval: Approval, cause: Cause, now_ms: number): ApprovalDraft[] {
  if (approval.status !== 'open') return [];
  const all = escalations(approval, now_ms);
  if (!all) return expireApproval(approval, cause);
  return all.map((body) => ({ event_type: 'approval_escalated', ...about(holderOf(approval), cause), body }));
}

/** The request after one part escalated: votes in that part no longer count. If `rule` is null, its only part escalated. */
export function escalatedTo(
  approval: Approval,
  { rule, level, expires_at_ms }: Pick<Escalated, 'rule' | 'level' | 'expires_at_ms'>,
): Approval {
  const is = (part: ApprovalPart) => rule === null || part.rule === rule;
  const left = approval.parts.find(is);
  if (approval.status !== 'open' || !left || left.level >= level) return approval;
  const parts = approval.parts.map((part) => (is(part) ? { ...part, level, expires_at_ms } : part));
  const votes = approval.votes.flatMap((vote) => {
    if (!countsIn(vote, left.rule)) return [vote];
    const in_parts = vote.in_parts.filter((one) => one.rule !== left.rule);
    return in_parts.length > 0 ? [{ ...vote, in_parts }] : [];
  });
  const passed = approval.passed.flatMap((one) => {
    const rules = one.rules.filter((other) => other !== left.rule);
    return rules.length > 0 ? [{ ...one, rules }] : [];
  });
  return { ...approval, parts, votes, passed };
}

/** When reminders and targets of a request fall due, epoch ms. */
export function dueTimes({ parts }: Pick<Approval, 'parts'>): number[] {
  return parts.flatMap(({ requirement, requested_at_ms }) => {
    const after = [...requirement.reminders_ms, ...(requirement.sla_ms === null ? [] : [requirement.sla_ms])];
    return after.map((ms) => requested_at_ms + ms);
  });
}

/** When anything about a request falls due, epoch ms: expiry of its open parts, reminders and targets; or the end of its grant. */
export function fallsDue(approval: Approval): number[] {
  if (approval.status === 'granted') return [approval.execute_before_ms];
  return [...openParts(approval).map(({ expires_at_ms }) => expires_at_ms), ...dueTimes(approval)];
}

function remindersOf(approval: Approval, part: ApprovalPart, now_ms: number): Omit<EventMap['approval_reminded'], 'meta'>[] {
  const { requirement, requested_at_ms, expires_at_ms } = part;
  const waited_ms = now_ms - requested_at_ms;
  const due = Math.max(0, ...requirement.reminders_ms.filter((ms) => ms <= waited_ms));
  const { call, revision } = holderOf(approval);
  const common = { approval_id: approval.approval_id, revision, reminded_at_ms: now_ms, expires_at_ms, call, rule: ruleOf(approval, part) };
  const { sla_ms } = requirement;
  return [
    ...(due > part.reminded_ms ? [{ ...common, kind: 'reminder' as const, after_ms: due }] : []),
    ...(sla_ms !== null && sla_ms <= waited_ms && !part.sla_missed ? [{ ...common, kind: 'sla_missed' as const, after_ms: sla_ms }] : []),
  ];
}

/** For each unmet part: the newest due reminder that was not sent, and a record if its target was missed. */
export function remind(approval: Approval, cause: Cause, now_ms: number): ApprovalDraft[] {
  if (approval.status !== 'open') return [];
  return openParts(approval)
    .flatMap((part) => remindersOf(approval, part, now_ms))
    .map((body) => ({ event_type: 'approval_reminded', ...about(holderOf(approval), cause), body }));
}

/** The request after a reminder was sent. */
export function reminded(
  approval: Approval,
  { rule, kind, after_ms }: Pick<EventMap['approval_reminded'], 'rule' | 'kind' | 'after_ms'>,
): Approval {
  const parts = approval.parts.map((part) => {
    if (rule !== null && part.rule !== rule) return part;
    return kind === 'reminder' ? { ...part, reminded_ms: Math.max(part.reminded_ms, after_ms) } : { ...part, sla_missed: true };
  });
  return { ...approval, parts };
}
