import { type ApprovalEdit, type ApprovalRequirement, canonicalText, type EditedInputs, type ToolCall } from '@countersign/contracts';
import { admittedVote, type CastVote, countedVote, grantTo, refuseVote } from '../approval/decide.js';
import { about } from '../approval/draft.js';
import { jsonDiff } from '../approval/json-diff.js';
import { asksOthers, decidersAt, requirementOf } from '../approval/requirement.js';
import { grantObjection } from '../approval/similar.js';
import { type Approval, type ApprovalMember, approvalId, holderOf, rulingDigest, termsOf, unasked } from '../approval/state.js';
import { isBarred, type Objection, objectTo, type VotingRight } from '../approval/voting-right.js';
import { type CallToRule, decided, type Judgement, type RulingDraft, type RulingTerms } from './decide.js';
import { historyOf } from './history.js';
import { approvalOfKey, type RulingState } from './state.js';

/** What policy says about the edited call, as about any other. */
export type EditedRuling = Pick<
  CallToRule,
  'judgement' | 'reversibility' | 'key_holder' | 'config_offset' | 'barred' | 'evidence' | 'reservations'
> & {
  /** The inputs as caps would leave them; absent: as they are. */
  inputs_json?: string | undefined;
};

/** The call with other inputs. Its own key and discriminating digest stay: repeats of the request come with those. */
export function editedCall(approval: Approval, edited: EditedInputs): ToolCall {
  const { inputs_json, inputs_digest, mapped } = edited;
  return { ...holderOf(approval).call, inputs_json, inputs_digest, mapped: mapped ?? null };
}

function objection(state: RulingState, approval: Approval, edited: EditedInputs, ruling: EditedRuling): Objection | undefined {
  const { judgement } = ruling;
  if (edited.inputs_digest === holderOf(approval).call.inputs_digest)
    return objectTo('bad_edit', 'these are the inputs that were asked for: approve them');
  if (judgement.effect !== 'allow' && judgement.effect !== 'require_approval')
    return objectTo('bad_edit', `policy does not allow the edited inputs: ${judgement.reason?.message ?? judgement.rule}`);
  if (ruling.inputs_json !== undefined && ruling.inputs_json !== edited.inputs_json)
    return objectTo('bad_edit', `policy lowers the edited inputs (rule ${judgement.rule}): edit them to what it allows`);
  if (ruling.key_holder) return objectTo('bad_edit', `call ${ruling.key_holder.call_id} has the effect of the edited inputs already`);
  const other = approvalOfKey(state, edited.idempotency_key);
  if (other && other.approval_id !== approval.approval_id)
    return objectTo('bad_edit', `approval ${other.approval_id} is about the effect of the edited inputs already`);
  return entitlement(approval, judgement);
}

/** An edit gives nobody a say that policy does not give about the edited inputs. Every group that has had it must be one of theirs. */
function entitlement({ requirement, level, level_before = 0 }: Approval, judgement: Judgement): Objection | undefined {
  if (judgement.effect !== 'require_approval') return undefined;
  const now = requirementOf(judgement);
  const groups = [requirement, ...requirement.escalate_to.slice(0, level)];
  const others = groups.some((_, at) => asksOthers(now, level_before + at, decidersAt(requirement, at)));
  if (!others && (requirement.four_eyes || !now.four_eyes)) return undefined;
  const asks = others ? 'asks others about these inputs' : 'asks for four eyes on these inputs';
  return objectTo('bad_edit', `rule ${judgement.rule} ${asks}: deny this request and have them asked for by a call of their own`);
}

/** What the group that has the request now asks, of the edited inputs: no less than policy asks for those. */
function requirementNow(approval: Approval, { judgement }: EditedRuling): ApprovalRequirement {
  const { requirement, approver_roles, people, quorum } = approval;
  const asks = judgement.effect === 'require_approval';
  const asked = asks ? requirementOf(judgement) : requirement;
  const level = asks ? termsOf(approval).level : approval.level;
  const { escalate_to, on_expiry } = asked;
  return {
    ...requirement,
    approver_roles: [...approver_roles],
    people: [...people],
    quorum: Math.max(quorum, asked.quorum),
    escalate_to: escalate_to.slice(level),
    on_expiry: escalate_to.length > level ? on_expiry : 'deny',
    reason_required_on_deny: requirement.reason_required_on_deny || asked.reason_required_on_deny,
    grant_max_ms: Math.min(requirement.grant_max_ms, asked.grant_max_ms),
  };
}

/** Why the editor's own vote does not count for the request about the edited inputs, or undefined. */
function voteObjection(next: Approval, { cast, right }: Edit): Objection | undefined {
  const { voter, grant } = cast.vote;
  if (isBarred(next, voter.id) || (right.on_behalf_of !== null && isBarred(next, right.on_behalf_of)))
    return objectTo('four_eyes', 'four eyes: who asked for the call, or answers for who did, cannot approve it');
  return grant ? grantObjection(next, grant) : undefined;
}

interface Edit {
  cast: CastVote;
  right: VotingRight;
  edited: EditedInputs;
  ruling: EditedRuling;
}

/** What the edited request says about where it comes from, and the second key that it claims. */
function originOf(approval: Approval, { cast, edited }: Edit): ApprovalEdit {
  const { call } = holderOf(approval);
  const { idempotency_key, discriminating_digest } = edited;
  return {
    approval_id: approval.approval_id,
    vote_id: cast.vote.vote_id,
    by: cast.vote.voter,
    inputs_digest_before: call.inputs_digest,
    diff_json: canonicalText(jsonDiff(JSON.parse(call.inputs_json), JSON.parse(edited.inputs_json))),
    also: idempotency_key === call.idempotency_key ? null : { idempotency_key, discriminating_digest, attempt: 0 },
  };
}

/** The new question about the edited inputs, with its members: each gets its next revision. */
function asked(approval: Approval, edit: Edit, terms: RulingTerms): { drafts: RulingDraft[]; next: Approval } {
  const { cast, edited, ruling } = edit;
  const holder = holderOf(approval);
  const requirement = requirementNow(approval, ruling);
  const judgement: Judgement = { ...ruling.judgement, effect: 'require_approval', tier: approval.tier, requirement, reason: null };
  const revision = holder.revision + 1;
  const approval_id = approvalId(holder.meta.call_id as string, revision);
  const call = editedCall(approval, edited);
  const { reversibility, config_offset, reservations = [] } = ruling;
  const common = {
    judgement,
    reservations,
    reversibility,
    key_holder: undefined,
    config_offset,
    cause: cast.vote.meta,
    source: cast.source,
  };
  const ruleOn = (member: ApprovalMember, of: ToolCall, joined_call_id: string | null) => {
    const { meta, traceparent } = member;
    const ask = { ...common, meta, call: of, revision: member.revision + 1, traceparent };
    return decided(ask, terms, judgement, { joined_call_id, approval_id });
  };
  const first = ruleOn(holder, call, null);
  const rest = approval.members.slice(1).map((member) => ruleOn(member, member.call, holder.meta.call_id as string));
  const origin = originOf(approval, edit);
  const { approver_roles, quorum } = requirement;
  const times = { requested_at_ms: terms.now_ms, expires_at_ms: approval.expires_at_ms };
  const ruling_digest = rulingDigest(call, judgement);
  const barred = [...new Set([...approval.barred, ...(ruling.barred ?? [])])];
  const evidence = ruling.evidence ?? null;
  const { level } = termsOf(approval);
  const decision_id = first.body.decision_id;
  const body = {
    approval_id,
    decision_id,
    revision,
    approver_roles,
    quorum,
    ...times,
    reversibility,
    ruling_digest,
    call,
    requirement,
    barred,
    evidence,
    edit: origin,
    level,
  };
  const members = approval.members.map((member, at) => {
    const { body: ruled } = at === 0 ? first : (rest[at - 1] as typeof first);
    const { decision_id, revision } = ruled;
    return { ...member, decision_id, revision, call: at === 0 ? call : member.call, ...historyOf(ruled) };
  });
  const now = {
    ruling_digest,
    requirement,
    approver_roles,
    people: requirement.people,
    quorum,
    barred,
    ...times,
    members,
    also: origin.also,
    level_before: level,
  };
  const next: Approval = { ...unasked(approval_id, { tier: approval.tier, rule: judgement.rule }, members[0] as ApprovalMember), ...now };
  return { drafts: [first, { event_type: 'approval_requested', ...about(holder, cast.vote.meta), body }, ...rest], next };
}

/**
 * An approver wants other inputs: they are ruled on as a new revision, which asks anew and binds the edited digest. The
 * editor's approval counts for it; approvals of the inputs before count for nothing. Nothing changes where it is refused.
 */
export function editApproval(
  state: RulingState,
  cast: CastVote,
  edit: { edited: EditedInputs; ruling: EditedRuling },
  terms: RulingTerms,
): RulingDraft[] {
  const approval = state.approvals.get(cast.vote.approval_id);
  const admitted = admittedVote(approval, cast);
  if ('drafts' in admitted) return admitted.drafts;
  const why = objection(state, admitted.approval, edit.edited, edit.ruling);
  if (why) return refuseVote(cast, why);
  const its = { cast, right: admitted.right, ...edit };
  const { drafts, next } = asked(admitted.approval, its, terms);
  const uncounted = voteObjection(next, its);
  if (uncounted) return refuseVote(cast, uncounted);
  const { vote, source } = cast;
  const mine = countedVote(vote, admitted.right);
  if (next.quorum <= 1) {
    const by = { cause: vote.meta, source, execute_before_ms: cast.appended_at_ms + cast.grant_for_ms, from_ms: cast.appended_at_ms };
    return [...drafts, ...grantTo(next, next.members, [mine], by)];
  }
  const body = { approval_id: next.approval_id, vote_id: vote.vote_id, approvals: 1, quorum: next.quorum, counted: mine, source };
  return [...drafts, { event_type: 'approval_vote_counted', ...about(holderOf(next), vote.meta), body }];
}
