import {
  type ApprovalEdit,
  canonicalText,
  type EditedInputs,
  type ApprovalPart as RecordedPart,
  type ToolCall,
} from '@countersign/contracts';
import { admittedVote, type CastVote, countedVote, grantTo, knownFor, refuseVote, voteCounted } from '../approval/decide.js';
import { about } from '../approval/draft.js';
import { jsonDiff } from '../approval/json-diff.js';
import { type ApprovalPart, groupOf, isDistinct, levelOf, partsRequested, type RequestedPart, startedPart } from '../approval/part.js';
import { SAGA_APPROVAL } from '../approval/saga-plan.js';
import { grantObjection } from '../approval/similar.js';
import {
  type Approval,
  type ApprovalMember,
  approvalId,
  holderOf,
  openParts,
  rulingDigest,
  unrequestedApproval,
} from '../approval/state.js';
import { summaryOf } from '../approval/summary.js';
import { approvingRights, type Objection, objectTo, rightsIn, type VotingRights } from '../approval/voting-right.js';
import { barredOf, type CallToRule, decided, type Judgement, type RulingDraft, type RulingTerms } from './decide.js';
import { historyOf } from './history.js';
import { approvalOfKey, type RulingState } from './state.js';

/** The judgement of policy on the edited call. */
export type EditedRuling = Pick<
  CallToRule,
  'judgement' | 'reversibility' | 'key_holder' | 'config_offset' | 'barred' | 'evidence' | 'reservations' | 'grantable' | 'shortfalls'
> & {
  /** The inputs lowered by caps; absent: unchanged. */
  inputs_json?: string | undefined;
};

/** The call with the edited inputs. It keeps its own key and discriminating digest, because repeats of the request have those. */
export function editedCall(approval: Approval, edited: EditedInputs): ToolCall {
  const { inputs_json, inputs_digest, mapped } = edited;
  return { ...holderOf(approval).call, inputs_json, inputs_digest, mapped: mapped ?? null };
}

function objection(state: RulingState, approval: Approval, edited: EditedInputs, ruling: EditedRuling): Objection | undefined {
  const { judgement } = ruling;
  if (holderOf(approval).call.tool === SAGA_APPROVAL.tool)
    return objectTo('bad_edit', 'the plan of a saga cannot be edited: deny it, and start a new saga with other inputs');
  if (edited.inputs_digest === holderOf(approval).call.inputs_digest)
    return objectTo('bad_edit', 'these are the requested inputs: approve them instead');
  if (judgement.effect !== 'allow' && judgement.effect !== 'require_approval')
    return objectTo('bad_edit', `policy does not allow the edited inputs: ${judgement.reason?.message ?? judgement.rule}`);
  if (ruling.inputs_json !== undefined && ruling.inputs_json !== edited.inputs_json)
    return objectTo('bad_edit', `policy lowers the edited inputs (rule ${judgement.rule}): edit them to what it allows`);
  if (ruling.key_holder) return objectTo('bad_edit', `call ${ruling.key_holder.call_id} already has the effect of the edited inputs`);
  const other = approvalOfKey(state, edited.idempotency_key);
  if (other && other.approval_id !== approval.approval_id)
    return objectTo('bad_edit', `approval ${other.approval_id} already covers the effect of the edited inputs`);
  return undefined;
}

/** A part of the edited request. If the same rule had a part before, its deadline and level are kept; otherwise it starts now. */
function editedPart(
  before: Approval,
  requested: RequestedPart,
  deadline_ms: number | null,
  now_ms: number,
  shortfall: string | undefined,
): RecordedPart {
  const known = before.parts.find(({ rule }) => rule === requested.rule);
  const started = startedPart(requested, now_ms, deadline_ms, shortfall);
  if (!known) return started;
  const level = requested.requirement.escalate_to.length >= levelOf(known) ? levelOf(known) : 0;
  const { requested_at_ms, expires_at_ms, reminded_ms, sla_missed } = known;
  return { ...started, level, requested_at_ms, expires_at_ms, reminded_ms, sla_missed };
}

/** The part for inputs that policy allows without approval: the editor's own approval, by the right used for the edit. */
function editorsPart(before: Approval, { rule }: Judgement, rights: VotingRights): RequestedPart {
  const part = before.parts.find((one) => one.rule === rights[0]?.rule) as ApprovalPart;
  const { approver_roles, people } = groupOf(part);
  const own = { approver_roles: [...approver_roles], people: [...people], quorum: 1, on_expiry: 'deny' as const, escalate_to: [] };
  return { rule, requirement: { ...part.requirement, ...own, distinct: false } };
}

interface Edit {
  cast: CastVote;
  rights: VotingRights;
  edited: EditedInputs;
  ruling: EditedRuling;
}

/** The origin of the edited request, with the second key that it claims. */
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

/** The parts that policy requires for the edited inputs. */
function partsOf(approval: Approval, { ruling, rights }: Edit, call: ToolCall, now_ms: number): RecordedPart[] {
  const { judgement, shortfalls } = ruling;
  if (judgement.effect !== 'require_approval') {
    const { expires_at_ms } = approval.parts.find(({ rule }) => rule === rights[0]?.rule) as ApprovalPart;
    return [{ ...startedPart(editorsPart(approval, judgement, rights), now_ms, call.deadline_ms), expires_at_ms }];
  }
  return partsRequested(judgement).map((requestedPart) =>
    editedPart(approval, requestedPart, call.deadline_ms, now_ms, shortfalls?.get(requestedPart.rule)),
  );
}

/** The new approval request for the edited inputs, with its members: each gets its next revision. */
function requestedAgain(approval: Approval, edit: Edit, terms: RulingTerms): { drafts: RulingDraft[]; next: Approval } {
  const { cast, edited, ruling } = edit;
  const holder = holderOf(approval);
  const call = editedCall(approval, edited);
  const parts = partsOf(approval, edit, call, terms.now_ms);
  const judgement: Judgement = { ...ruling.judgement, effect: 'require_approval', tier: approval.tier, parts, reason: null };
  const revision = holder.revision + 1;
  const approval_id = approvalId(holder.meta.call_id as string, revision);
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
  const edited_from = originOf(approval, edit);
  const asks = parts.map(({ rule, requirement }) => ({ rule, requirement }));
  const bound = {
    ruling_digest: rulingDigest(call, { ...judgement, parts: asks }),
    barred: [...new Set([...approval.barred, ...barredOf(asks, [call.principal.id, ...(ruling.barred ?? [])])])],
    parts,
    distinct: isDistinct(asks),
    grantable: ruling.grantable ?? null,
  };
  const body = {
    approval_id,
    decision_id: first.body.decision_id,
    revision,
    ...summaryOf(parts),
    ...bound,
    reversibility,
    call,
    evidence: ruling.evidence ?? null,
    edit: edited_from,
    level: 0,
  };
  const members = approval.members.map((member, at) => {
    const { body: ruled } = at === 0 ? first : (rest[at - 1] as typeof first);
    const { decision_id, revision } = ruled;
    return { ...member, decision_id, revision, call: at === 0 ? call : member.call, ...historyOf(ruled) };
  });
  const start = unrequestedApproval(
    approval_id,
    { tier: approval.tier, rule: judgement.rule, config_offset },
    members[0] as ApprovalMember,
  );
  const next: Approval = { ...start, ...bound, members, also: edited_from.also };
  return { drafts: [first, { event_type: 'approval_requested', ...about(holder, cast.vote.meta), body }, ...rest], next };
}

/**
 * The rights by which the editor's approval counts for the edited inputs; an objection if policy allows the inputs but the editor may not
 * approve them.
 */
function editorsRights(next: Approval, { cast, rights, ruling }: Edit): VotingRights | Objection {
  const { vote } = cast;
  const known = knownFor(next, cast);
  const who = { issuer: vote.voter_issuer, id: vote.voter.id };
  if (ruling.judgement.effect !== 'require_approval') {
    const { rule } = next.parts[0] as ApprovalPart;
    return approvingRights(next, who, [{ rule, on_behalf_of: rights[0]?.on_behalf_of ?? null }], known.links);
  }
  const entitled = rightsIn(next, next.parts, vote, known);
  const counting = 'code' in entitled ? [] : approvingRights(next, who, entitled, known.links);
  return 'code' in counting ? [] : counting;
}

/**
 * Handles an edit by an approver: the edited inputs are ruled on as a new revision, with a new approval request that is bound to the edited
 * digest. Its parts are those of the edited inputs. The editor's approval counts if the editor is entitled; approvals of the earlier inputs
 * do not count. A refused edit changes nothing.
 */
export function editApproval(
  state: RulingState,
  cast: CastVote,
  edit: { edited: EditedInputs; ruling: EditedRuling },
  terms: RulingTerms,
): RulingDraft[] {
  const before = state.approvals.get(cast.vote.approval_id);
  const admitted = admittedVote(before, cast);
  if ('drafts' in admitted) return admitted.drafts;
  const { approval, first } = admitted;
  const why = objection(state, approval, edit.edited, edit.ruling);
  if (why) return [...refuseVote(cast, why), ...first];
  const its = { cast, rights: admitted.rights, ...edit };
  const { drafts, next } = requestedAgain(approval, its, terms);
  const rights = editorsRights(next, its);
  const uncounted = 'code' in rights ? rights : wishObjection(next, cast, rights);
  if (uncounted) return [...refuseVote(cast, uncounted), ...first];
  return [...first, ...drafts, ...editorsVote(next, cast, rights as VotingRights)];
}

function wishObjection(next: Approval, { vote }: CastVote, rights: VotingRights): Objection | undefined {
  if (!vote.grant) return undefined;
  if (rights.length === 0)
    return objectTo('bad_grant', 'this vote counts in no part of the edited request, so it cannot grant similar calls');
  return grantObjection(
    next,
    next.parts.filter(({ rule }) => rights.some((right) => right.rule === rule)),
    vote.grant,
  );
}

/** The editor's vote on the edited request; empty if it counts in no part. */
function editorsVote(next: Approval, cast: CastVote, rights: VotingRights): RulingDraft[] {
  if (rights.length === 0) return [];
  const { vote, source, appended_at_ms: from_ms } = cast;
  const mine = countedVote(vote, rights);
  if (openParts({ ...next, votes: [mine] }).length > 0) return [voteCounted(next, [mine], mine, cast)];
  return grantTo(next, next.members, [mine], { cause: vote.meta, source, execute_before_ms: from_ms + cast.grant_for_ms, from_ms });
}
