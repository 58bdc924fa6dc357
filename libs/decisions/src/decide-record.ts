import {
  type ApprovalEvidence,
  type ApprovalVoted,
  callError,
  type Meta,
  NO_CONTEXT,
  NO_RECORD_OFFSET,
  type Principal,
  type SourcePosition,
  sha256Hex,
  type ToolCall,
} from '@countersign/contracts';
import {
  type Approval,
  allowResolution,
  type CallToRule,
  cancelCall,
  castVote,
  editApproval,
  editedCall,
  holderOf,
  type LinkPeriod,
  qualifiedName,
  type RolesLeft,
  type RulingDraft,
  type RulingState,
  ruleOnCall,
  type StandingDelegation,
} from '@countersign/domain';
import { giveBackUnused } from './in-flight.js';
import type { Judged } from './judged.js';
import type { EditQuestion } from './question.js';
import type { ReadEvent } from './read-event.js';
import { type DueDeferral, waitsOn } from './waiting.js';

/** A record that needs a ruling on a revision of a call: a new call, or one that the executor refused to fire. */
export type ToRule = ReadEvent<'tool_call_requested' | 'tool_call_rejudged'>;

export function wantsRuling(event: ReadEvent): event is ToRule {
  return event.event_type === 'tool_call_requested' || event.event_type === 'tool_call_rejudged';
}

/** True if an executor refused to fire the call because policy became stricter than the earlier ruling. */
export const isStricter = (event: ToRule): boolean => event.event_type === 'tool_call_rejudged' && event.event.because === 'stricter';

/** True if an executor could not answer the call: the effect of the call to join is no longer in place. */
export const isAnswerGone = (event: ToRule): boolean => event.event_type === 'tool_call_rejudged' && event.event.because === 'answer_gone';

/** The revision of the ruling on this record. */
export const revisionOf = (event: ToRule): number => (event.event_type === 'tool_call_rejudged' ? event.event.revision + 1 : 1);

/** The terms shared by all decisions. */
export interface DecisionTerms {
  /** The current time by the log's clock, as far as it is known. */
  now_ms: number;
  bundle_version: string;
  /** How long an allowed call may be started, ms. */
  allow_for_ms: number;
  /** How long a granted call may be started, ms. */
  grant_for_ms: number;
  /** The delegations that currently let this person vote on the request. */
  standing(approval: Approval, voter_name: string, now_ms: number): readonly StandingDelegation[];
  /** Returns the remaining roles of live voters when this vote is decided. */
  roles_left(vote: ApprovalVoted, now_ms: number): RolesLeft;
  /** The recorded links between identities of one person, of the request's tenant. */
  person_links(approval: Approval, now_ms: number): readonly LinkPeriod[];
}

function stricterAtExecution({ meta, call, judgement, cause, traceparent }: CallToRule, recorded_at_ms: number): RulingDraft {
  const detail = `${meta.call_id}: allowed by policy, then refused at execution by ${judgement.rule}`;
  const body = { kind: 'stricter_at_execution', detail, principal: call.principal, recorded_at_ms, times: 1 };
  return { event_type: 'security_event_recorded', of: meta, cause, key: call.idempotency_key, traceparent, body };
}

/** The call with the inputs lowered by caps, and with their mapped form. */
function withInputs(call: ToolCall, { inputs_json, mapped: made }: Pick<Judged, 'inputs_json' | 'mapped'>): ToolCall {
  const mapped = made ?? call.mapped;
  if (inputs_json !== undefined) return { ...call, inputs_json, inputs_digest: sha256Hex(inputs_json), mapped };
  return mapped === call.mapped ? call : { ...call, mapped };
}

/** The evidence for approvers with the current ruling: a wait may have changed the ruling since the judgement. */
function shownWith({ evidence, judgement }: Judged, terms: DecisionTerms): ApprovalEvidence | undefined {
  const { rule, tier, bundle_version = terms.bundle_version } = judgement;
  return evidence && { ...evidence, rule, tier, bundle_version };
}

function ruleOn(state: RulingState, event: ToRule, answer: Judged, terms: DecisionTerms): RulingDraft[] {
  const { meta } = event.event;
  const { judgement, reversibility, key_holder, config_offset, reservations, barred, grantable, shortfalls } = answer;
  const evidence = shownWith(answer, terms);
  const call = withInputs(event.event.call, answer);
  const ask: CallToRule = {
    meta,
    call,
    revision: revisionOf(event),
    judgement,
    reversibility,
    key_holder,
    config_offset,
    cause: meta,
    source: { topic: event.topic, offset: event.offset },
    traceparent: event.traceparent,
  };
  if (reservations) ask.reservations = reservations;
  if (barred) ask.barred = barred;
  if (grantable) ask.grantable = grantable;
  if (shortfalls) ask.shortfalls = shortfalls;
  if (evidence) ask.evidence = evidence;
  const drafts = ruleOnCall(state, ask, terms);
  return isStricter(event) && judgement.effect === 'deny' && drafts.length > 0
    ? [...drafts, stricterAtExecution(ask, terms.now_ms)]
    : drafts;
}

/** The drafts for a waiting call that was judged again; empty if it keeps waiting or no longer waits. */
export function decideAgain(
  state: RulingState,
  { call_id, deferred }: DueDeferral,
  answer: Judged,
  terms: DecisionTerms & { source: SourcePosition },
): RulingDraft[] {
  const { meta, revision, traceparent } = deferred;
  const { judgement, reversibility, key_holder, config_offset, reservations = [], barred, grantable, shortfalls } = answer;
  const evidence = shownWith(answer, terms);
  const call = withInputs(deferred.call, answer);
  const waits = state.limits.deferred.get(call_id) === deferred;
  if (waits && waitsOn(judgement, deferred)) return [];
  const ask: CallToRule = {
    meta,
    call,
    revision: revision + 1,
    judgement,
    reversibility,
    key_holder,
    reservations,
    config_offset,
    cause: meta,
    source: terms.source,
    traceparent,
  };
  if (barred) ask.barred = barred;
  if (grantable) ask.grantable = grantable;
  if (shortfalls) ask.shortfalls = shortfalls;
  if (evidence) ask.evidence = evidence;
  const drafts = waits ? ruleOnCall(state, ask, terms) : [];
  if (reservations.length > 0) giveBackUnused(state.limits, { meta, call, revision: revision + 1 }, reservations, drafts);
  return drafts;
}

/** The edits among the votes on open requests. */
export function editsOf(state: RulingState, events: readonly ReadEvent[]): EditQuestion[] {
  return events.flatMap((event) => {
    if (event.event_type !== 'approval_voted' || event.event.vote !== 'edit' || !event.event.edited) return [];
    const approval = state.approvals.get(event.event.approval_id);
    if (approval?.status !== 'open') return [];
    const { edited, meta } = event.event;
    const { offset, timestamp_ms: at_ms } = event;
    const holder = holderOf(approval);
    const of = { call_id: holder.meta.call_id as string, revision: holder.revision + 1, tenant_id: meta.tenant_id };
    return [{ offset, at_ms, ...of, call: editedCall(approval, edited), edited }];
  });
}

/**
 * The drafts of policy for a record. `answer`: the judgement, required if the record needs a ruling. Pure; empty if the record needs no
 * reaction.
 */
export function decideRecord(state: RulingState, event: ReadEvent, answer: Judged | undefined, terms: DecisionTerms): RulingDraft[] {
  const { traceparent } = event;
  const source = { topic: event.topic, offset: event.offset };
  if (wantsRuling(event)) {
    if (!answer) throw new Error(`no judgement for ${event.event.meta.call_id}`);
    return ruleOn(state, event, answer, terms);
  }
  switch (event.event_type) {
    case 'tool_call_cancel_requested':
      return cancelCall(state, { event: event.event, source, traceparent });
    case 'tool_call_resolve_requested':
      return allowResolution({ event: event.event, source, traceparent }, terms.now_ms);
    case 'approval_voted': {
      const { grant_for_ms } = terms;
      const approval = state.approvals.get(event.event.approval_id);
      const standing = approval
        ? terms.standing(approval, qualifiedName({ issuer: event.event.voter_issuer, id: event.event.voter.id }), event.timestamp_ms)
        : [];
      const person_links = approval ? terms.person_links(approval, event.timestamp_ms) : [];
      const roles_left = terms.roles_left(event.event, event.timestamp_ms);
      const known = { standing, person_links, roles_left };
      const vote = { vote: event.event, traceparent, appended_at_ms: event.timestamp_ms, source, grant_for_ms, ...known };
      const { edited } = event.event;
      if (!answer || !edited) return castVote(approval, vote);
      const { evidence: _, ...ruling } = answer;
      const evidence = shownWith(answer, terms);
      const mapped = answer.mapped ?? edited.mapped;
      return editApproval(state, vote, { edited: { ...edited, mapped }, ruling: { ...ruling, ...(evidence && { evidence }) } }, terms);
    }
    default:
      return [];
  }
}

const UNREADABLE: Judged = {
  judgement: {
    effect: 'deny',
    tier: 'tier_3_blocked',
    approval_mode_effective: 'destructive',
    rule: 'record.poison',
    reason: callError('VALIDATION_ERROR', 'the request cannot be read'),
    approver_roles: [],
    quorum: 1,
    expires_after_ms: 0,
  },
  reversibility: 'irreversible',
  key_holder: undefined,
  unfamiliar: false,
  config_offset: NO_RECORD_OFFSET,
  demands: [],
};

/** The drafts for a record that cannot be processed: its call is denied, its vote is refused. */
export function refusePoison(state: RulingState, event: ReadEvent, terms: DecisionTerms): RulingDraft[] {
  if (wantsRuling(event)) return ruleOn(state, event, UNREADABLE, terms);
  if (event.event_type !== 'approval_voted') return [];
  const { approval_id, vote_id, meta } = event.event;
  const source = { topic: event.topic, offset: event.offset };
  const body = { approval_id, vote_id, reason: 'the vote cannot be handled', source, code: 'refused' };
  const key = meta.call_id ?? approval_id;
  return [{ event_type: 'approval_vote_refused', of: meta, cause: meta, key, traceparent: event.traceparent, body }];
}

/** A request of which only the meta is readable. */
export interface UnreadableRequest {
  meta: Meta;
  key: string | null;
  lane: string;
  source: SourcePosition;
  traceparent: string | undefined;
}

/** Denies a call of which only the meta is readable; unknown fields are empty. */
export function refuseUnreadable(
  state: RulingState,
  { meta, key, lane, ...where }: UnreadableRequest,
  terms: DecisionTerms,
): RulingDraft[] {
  const call = unreadableCall(key, lane);
  const { judgement, reversibility, config_offset } = UNREADABLE;
  const ask = { meta, call, revision: 1, judgement, reversibility, key_holder: undefined, config_offset, cause: meta, ...where };
  return ruleOnCall(state, ask, terms);
}

/** A placeholder for a call of which only the key and the lane are known. */
export function unreadableCall(key: string | null, lane: string): ToolCall {
  const principal: Principal = { kind: 'agent', id: '', roles: [] };
  return { ...EMPTY_CALL, idempotency_key: key ?? '', principal, context: { ...NO_CONTEXT }, lane };
}

const EMPTY_CALL: Omit<ToolCall, 'idempotency_key' | 'principal' | 'context' | 'lane'> = {
  tool: '',
  version: '',
  effect_class: 'commit_high',
  category: '',
  contract_digest: '',
  inputs_json: 'null',
  inputs_digest: '',
  sealed: null,
  mapped: null,
  key_source: 'derived',
  discriminating_digest: '',
  window_ms: 0,
  case_id: null,
  run_id: null,
  occurrence: null,
  deadline_ms: null,
  callback_url: null,
  requested_at_ms: 0,
  authority: null,
};
