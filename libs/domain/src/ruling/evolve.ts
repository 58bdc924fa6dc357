import type { AnyEvent, EventMap } from '@countersign/contracts';
import { tally } from '../approval/decide.js';
import type { ApprovalPart } from '../approval/part.js';
import { requirementOf } from '../approval/requirement.js';
import { type Approval, type ApprovalMember, holderOf, unrequestedApproval } from '../approval/state.js';
import { qualifiedName } from '../approval/subject.js';
import { escalatedTo, reminded } from '../approval/time.js';
import { evolveLedger } from '../limit/ledger.js';
import { historyOf } from './history.js';
import { approvalOfCall, type RulingState } from './state.js';
import { evolveUndoing } from './undoing.js';

/** Forgets an approval with all its members. */
export function dropApproval(state: RulingState, approval: Approval): void {
  state.approvals.delete(approval.approval_id);
  for (const member of approval.members) {
    const call_id = member.meta.call_id as string;
    if (state.approval_of_call.get(call_id) === approval.approval_id) state.approval_of_call.delete(call_id);
  }
  const key = holderOf(approval).call.idempotency_key;
  if (state.approval_of_key.get(key) === approval.approval_id) state.approval_of_key.delete(key);
}

function put(state: RulingState, approval: Approval): void {
  state.approvals.set(approval.approval_id, approval);
}

function move(state: RulingState, approval_id: string, next: (approval: Approval) => Approval): void {
  const approval = state.approvals.get(approval_id);
  if (approval) put(state, next(approval));
}

function leave(state: RulingState, call_id: string): void {
  const approval = approvalOfCall(state, call_id);
  if (!approval) return;
  if (holderOf(approval).meta.call_id === call_id) {
    dropApproval(state, approval);
    return;
  }
  put(state, { ...approval, members: approval.members.filter((member) => member.meta.call_id !== call_id) });
  state.approval_of_call.delete(call_id);
}

function ruled(state: RulingState, event: EventMap['policy_decided'], traceparent: string | undefined): void {
  const { meta, decision_id, revision, call, approval_id } = event;
  const call_id = meta.call_id as string;
  if (event.effect === 'allow') state.allowed.set(call_id, { tenant_id: meta.tenant_id, revision, call });
  else if (event.effect === 'require_approval') {
    const member: ApprovalMember = { meta, decision_id, revision, call, traceparent, ...historyOf(event) };
    if (event.joined_call_id !== null) join(state, approval_id as string, member);
    else ask(state, event, member);
    return;
  }
  if (state.approval_of_call.size > 0 && state.approval_of_call.has(call_id)) leave(state, call_id);
  if (event.effect !== 'allow') state.allowed.delete(call_id);
}

function join(state: RulingState, approval_id: string, member: ApprovalMember): void {
  const approval = state.approvals.get(approval_id);
  const call_id = member.meta.call_id as string;
  leave(state, call_id);
  if (!approval || approval.members.some((known) => known.meta.call_id === call_id)) return;
  put(state, { ...approval, members: [...approval.members, member] });
  state.approval_of_call.set(call_id, approval_id);
  state.allowed.delete(call_id);
}

/** Opens an approval. approval_requested follows in the same append with the rest. */
function ask(state: RulingState, event: EventMap['policy_decided'], member: ApprovalMember): void {
  const call_id = member.meta.call_id as string;
  const approval_id = event.approval_id as string;
  if (state.approvals.has(approval_id)) return;
  leave(state, call_id);
  put(state, unrequestedApproval(approval_id, event, member));
  state.approval_of_call.set(call_id, approval_id);
  state.approval_of_key.set(member.call.idempotency_key, approval_id);
  state.allowed.delete(call_id);
}

/** The parts of a request. A record from before parts existed has one part, of the rule of its ruling. */
function partsOf(approval: Approval, event: EventMap['approval_requested']): ApprovalPart[] {
  if (event.parts.length > 0) return event.parts;
  const { approver_roles, quorum, requested_at_ms, expires_at_ms, level } = event;
  const requirement = event.requirement ?? requirementOf({ approver_roles, quorum, expires_after_ms: expires_at_ms - requested_at_ms });
  const defaults = { level: 0, reminded_ms: 0, sla_missed: false, shortfall: null, ...(level > 0 && { level_before: level }) };
  return [{ rule: approval.rule, requirement, requested_at_ms, expires_at_ms, ...defaults }];
}

function requested(state: RulingState, event: EventMap['approval_requested']): void {
  const approval = state.approvals.get(event.approval_id);
  if (approval?.ruling_digest !== '') return;
  const { ruling_digest, barred, edit, distinct, grantable } = event;
  const parts = partsOf(approval, event);
  put(state, { ...approval, ruling_digest, parts, distinct, barred, grantable, also: edit?.also ?? null });
}

function voteCounted(state: RulingState, { approval_id, counted, votes }: EventMap['approval_vote_counted']): void {
  const approval = state.approvals.get(approval_id);
  if (!approval || (approval.status === 'granted' && counted.vote !== 'revoke')) return;
  const isKnown = [...approval.votes, ...approval.passed].some(({ vote_id }) => vote_id === counted.vote_id);
  const passed = approval.passed.filter(
    ({ from, vote_id }) =>
      vote_id !== counted.vote_id &&
      !(counted.vote === 'revoke' && from === qualifiedName({ issuer: counted.voter_issuer, id: counted.voter_id })),
  );
  if (counted.vote === 'delegate' && counted.to !== null) {
    const rules = counted.in_parts.map(({ rule }) => rule);
    passed.push({
      from: qualifiedName({ issuer: counted.voter_issuer, id: counted.voter_id }),
      to: counted.to,
      vote_id: counted.vote_id,
      rules,
    });
  }
  put(state, { ...approval, votes: isKnown || !votes ? tally(approval.votes, counted) : votes, passed });
}

/** Marks the approval as fired: its votes can no longer be revoked. */
function fired(state: RulingState, call_id: string): void {
  const approval = state.approval_of_call.size > 0 ? approvalOfCall(state, call_id) : undefined;
  if (approval && !approval.fired) put(state, { ...approval, fired: true });
}

function granted(state: RulingState, event: EventMap['approval_granted']): void {
  const { meta, revision, call } = event;
  state.allowed.set(meta.call_id as string, { tenant_id: meta.tenant_id, revision, call });
  const approval = state.approvals.get(event.approval_id);
  if (!approval || event.joined_call_id !== null || approval.status === 'granted') return;
  const { votes, execute_before_ms } = event;
  put(state, { ...approval, status: 'granted', votes, execute_before_ms });
}

/** A call of the approval has ended: from now on the row of the key answers. */
function ended(state: RulingState, call_id: string): void {
  state.allowed.delete(call_id);
  const approval = state.approval_of_call.size > 0 ? approvalOfCall(state, call_id) : undefined;
  if (approval?.status === 'granted') dropApproval(state, approval);
}

/**
 * Folds a record of policy, or an end on tool-executed, into the state of policy, in place. Records that were already folded change
 * nothing.
 */
export function evolveRulings(state: RulingState, published: AnyEvent, traceparent: string | undefined): void {
  evolveLedger(state.limits, published, traceparent);
  evolveUndoing(state, published);
  switch (published.event_type) {
    case 'policy_decided':
      ruled(state, published.event, traceparent);
      return;
    case 'approval_requested':
      requested(state, published.event);
      return;
    case 'approval_vote_counted':
      voteCounted(state, published.event);
      return;
    case 'approval_escalated':
      move(state, published.event.approval_id, (approval) => escalatedTo(approval, published.event));
      return;
    case 'approval_reminded':
      move(state, published.event.approval_id, (approval) => reminded(approval, published.event));
      return;
    case 'tool_call_started':
      fired(state, published.event.meta.call_id as string);
      return;
    case 'approval_granted':
      granted(state, published.event);
      return;
    case 'approval_denied':
    case 'approval_expired':
      leave(state, published.event.meta.call_id as string);
      return;
    case 'call_cancelled':
      if (published.event.final) leave(state, published.event.meta.call_id as string);
      return;
    case 'tool_executed':
    case 'tool_retry_deduplicated':
    case 'tool_call_in_doubt':
    case 'tool_call_resolved':
      ended(state, published.event.meta.call_id as string);
      return;
    default:
  }
}
