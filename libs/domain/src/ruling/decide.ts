import {
  type ApprovalEvidence,
  type ApprovalMode,
  type CallError,
  callError,
  type Deferral,
  type GrantableInputs,
  type LimitReservation,
  type Meta,
  type Reversibility,
  type RulingEffect,
  type RulingExplanation,
  type SourcePosition,
  type Tier,
  type ToolCall,
  type ToolCallCancelRequested,
  type ToolCallResolveRequested,
} from '@countersign/contracts';
import { unansweredPart } from '../approval/answered.js';
import { cancelWaiting } from '../approval/cancel.js';
import { grantTo } from '../approval/decide.js';
import type { ApprovalDraft } from '../approval/draft.js';
import { isDistinct, type PartsAsking, partsRequested, type RequestedPart, startedPart } from '../approval/part.js';
import { NO_LINKS } from '../approval/person-links.js';
import { recounted } from '../approval/recount.js';
import { type Approval, type ApprovalMember, approvalId, grantedParts, holderOf, openParts, rulingDigest } from '../approval/state.js';
import { summaryOf } from '../approval/summary.js';
import type { Cause, Draft } from '../draft.js';
import { historyOf } from './history.js';
import { type AllowedCall, approvalOfCall, approvalOfKey, type RulingState } from './state.js';
import { isBeingUndone } from './undoing.js';

export type RulingDraft = ApprovalDraft | Draft<'policy_decided' | 'approval_requested' | 'resolution_allowed' | 'security_event_recorded'>;

/** The judgement of the tenant's policy on a call (libs/policy's ResolvedRuling fits). */
export interface Judgement extends PartsAsking {
  effect: RulingEffect;
  tier: Tier;
  approval_mode_effective: ApprovalMode;
  rule: string;
  reason: CallError | null;
  /** What the call waits for; only if the effect is defer. */
  defer?: Deferral | null;
  /** Version of the bundle that decided; absent: that of the terms. */
  bundle_version?: string;
  explanation?: RulingExplanation | null;
  /** When an allowed call may no longer start, epoch ms; absent: as the terms say. */
  allow_before_ms?: number;
  /** False: a call that is allowed but would need approval at its execution is refused. */
  asks_at_execution?: boolean;
}

/** The call that holds an idempotency key in `tool_executions`: live, or settled within its window. */
export interface KeyHolder {
  call_id: string;
  /** True if its discriminating inputs equal those of the new call. */
  same_inputs: boolean;
}

export interface CallToRule {
  meta: Meta;
  call: ToolCall;
  revision: number;
  judgement: Judgement;
  reversibility: Reversibility;
  /** Principal ids, besides the requester, that cannot approve the call, for example the owner of the agent. */
  barred?: readonly string[];
  evidence?: ApprovalEvidence | null;
  /** Only looked up for calls that need an approval or have a limit. */
  key_holder: KeyHolder | undefined;
  /** The inputs that 'approve similar' would cover; absent: none. */
  grantable?: GrantableInputs | null;
  /** Rule → why the known people cannot satisfy its part. */
  shortfalls?: ReadonlyMap<string, string>;
  /** The reservations of the call; a call that joins another has none. */
  reservations?: readonly LimitReservation[];
  /** Offset in configuration-changed at which the call was judged. */
  config_offset: number;
  cause: Cause;
  source: SourcePosition;
  traceparent: string | undefined;
}

export interface RulingTerms {
  now_ms: number;
  bundle_version: string;
  /** How long an allowed call may be started, ms. The call's deadline applies if it is earlier. */
  allow_for_ms: number;
}

/** The reason of a refusal because the effect is being undone. */
export const BEING_UNDONE = 'effect_being_undone';

const KEY_REUSED = 'the idempotency key was used with other inputs';

function keyReused(by: Judgement): Judgement {
  const reason = callError('VALIDATION_ERROR', KEY_REUSED, { details: { reason: 'idempotency_key_reused' } });
  return { ...by, effect: 'deny', rule: 'key.other_inputs', reason };
}

function beingUndone(by: Judgement): Judgement {
  const more = { class: 'transient' as const, retryable: true, retry_after_s: 1, details: { reason: BEING_UNDONE } };
  return {
    ...by,
    effect: 'deny',
    rule: 'key.being_undone',
    reason: callError('CANCELLED', 'the effect of an equal call is being undone', more),
  };
}

/**
 * The approval of another call that this call can join: an open one, or a grant that still satisfies the current requirement. A call that
 * was judged again never joins a grant, because it could be granted and refused forever.
 */
function joinable(state: RulingState, ask: CallToRule, now_ms: number): Approval | undefined {
  const approval = approvalOfKey(state, ask.call.idempotency_key);
  if (!approval || holderOf(approval).meta.call_id === ask.meta.call_id) return undefined;
  if (approval.status === 'open') return approval;
  const good = ask.revision === 1 && approval.execute_before_ms > now_ms;
  if (!good || !isMetWithout(approval, ask)) return undefined;
  return unansweredPart(partsRequested(ask.judgement), grantedParts(approval, approval.votes)) ? undefined : approval;
}

/**
 * True if a granted request has enough approvals without those of this call's requester and the requester's owner: four eyes apply to the
 * joining call too.
 */
function isMetWithout(approval: Approval, { meta, call, revision, traceparent, barred = [] }: CallToRule): boolean {
  const joining: ApprovalMember = { meta, decision_id: '', revision, call, traceparent };
  const joined = { ...approval, members: [...approval.members, joining], barred: [...approval.barred, ...barred] };
  return openParts({ ...approval, votes: recounted(joined, approval.votes, NO_LINKS) }).length === 0;
}

export function decided(
  ask: CallToRule,
  terms: RulingTerms,
  judgement: Judgement,
  more: { joined_call_id: string | null; approval_id: string | null },
): Draft<'policy_decided'> {
  const { meta, call, revision, cause, source, traceparent } = ask;
  const { effect, tier, approval_mode_effective, rule, reason } = judgement;
  const { allow_before_ms = Number.MAX_SAFE_INTEGER } = judgement;
  const until =
    effect === 'allow' ? Math.min(terms.now_ms + terms.allow_for_ms, call.deadline_ms ?? Number.MAX_SAFE_INTEGER, allow_before_ms) : 0;
  return {
    event_type: 'policy_decided',
    of: meta,
    cause,
    key: call.idempotency_key,
    traceparent,
    body: {
      decision_id: `${meta.call_id}.${revision}`,
      revision,
      effect,
      tier,
      approval_mode_effective,
      rule,
      bundle_version: judgement.bundle_version ?? terms.bundle_version,
      config_offset: ask.config_offset,
      reason,
      joined_call_id: more.joined_call_id,
      approval_id: more.approval_id,
      execute_before_ms: until,
      source,
      call,
      reservations: more.joined_call_id === null && effect !== 'deny' ? [...(ask.reservations ?? [])] : [],
      defer: effect === 'defer' ? (judgement.defer ?? null) : null,
      explanation: judgement.explanation ?? null,
    },
  };
}

function joined(ask: CallToRule, terms: RulingTerms, approval: Approval): RulingDraft[] {
  const holder = holderOf(approval);
  const { approval_id } = approval;
  const ruling = decided(ask, terms, ask.judgement, { joined_call_id: holder.meta.call_id, approval_id });
  if (approval.status === 'open') return [ruling];
  const { meta, call, revision, traceparent, cause, source } = ask;
  const member: ApprovalMember = { meta, decision_id: ruling.body.decision_id, revision, call, traceparent, ...historyOf(ruling.body) };
  const { execute_before_ms } = approval;
  return [ruling, ...grantTo(approval, [member], approval.votes, { cause, source, execute_before_ms })];
}

function approvalRequested(ask: CallToRule, terms: RulingTerms): RulingDraft[] {
  const { meta, call, revision, judgement, reversibility, cause, traceparent } = ask;
  const approval_id = approvalId(meta.call_id as string, revision);
  const ruling = decided(ask, terms, judgement, { joined_call_id: null, approval_id });
  const requestedParts = partsRequested(judgement);
  const parts = requestedParts.map((part) => startedPart(part, terms.now_ms, call.deadline_ms, ask.shortfalls?.get(part.rule)));
  const body = {
    approval_id,
    decision_id: ruling.body.decision_id,
    revision,
    ...summaryOf(parts),
    reversibility,
    ruling_digest: rulingDigest(call, judgement),
    call,
    barred: barredOf(requestedParts, [call.principal.id, ...(ask.barred ?? [])]),
    evidence: ask.evidence ?? null,
    edit: null,
    level: 0,
    parts,
    distinct: isDistinct(requestedParts),
    grantable: ask.grantable ?? null,
  };
  return [ruling, { event_type: 'approval_requested', of: meta, cause, key: call.idempotency_key, traceparent, body }];
}

/** The principals that cannot approve a part with four eyes; empty if no part has them. */
export function barredOf(parts: readonly RequestedPart[], ids: readonly string[]): string[] {
  return parts.some(({ requirement }) => requirement.four_eyes) ? [...new Set(ids)] : [];
}

/** Allows the call to run, or to be answered by the call that holds its key. */
function allowed(ask: CallToRule, terms: RulingTerms): RulingDraft[] {
  const { judgement, key_holder } = ask;
  const alone = { joined_call_id: null, approval_id: null };
  if (!key_holder || key_holder.call_id === ask.meta.call_id) return [decided(ask, terms, judgement, alone)];
  if (!key_holder.same_inputs) return [decided(ask, terms, keyReused(judgement), alone)];
  return [decided(ask, terms, { ...judgement, effect: 'allow' }, { ...alone, joined_call_id: key_holder.call_id })];
}

/** True if this revision of the call already has a ruling: the record was redelivered. */
function isRuled(state: RulingState, call_id: string, revision: number): boolean {
  if ((state.allowed.get(call_id)?.revision ?? 0) >= revision) return true;
  if ((state.limits.deferred.get(call_id)?.revision ?? 0) >= revision) return true;
  const member = approvalOfCall(state, call_id)?.members.find((one) => one.meta.call_id === call_id);
  return member !== undefined && member.revision >= revision;
}

/**
 * Rules on one revision of a call: deny, allow, defer or require approval. A call with a live key needs no new approval: it joins an open
 * or granted approval in memory, else the call that holds the key in `tool_executions`.
 */
export function ruleOnCall(state: RulingState, ask: CallToRule, terms: RulingTerms): RulingDraft[] {
  const { call, judgement } = ask;
  if (isRuled(state, ask.meta.call_id as string, ask.revision)) return [];
  const alone = { joined_call_id: null, approval_id: null };
  if (isBeingUndone(state, call) && judgement.effect !== 'deny') return [decided(ask, terms, beingUndone(judgement), alone)];
  if (judgement.effect !== 'require_approval')
    return judgement.effect === 'allow' ? allowed(ask, terms) : [decided(ask, terms, judgement, alone)];
  const other = joinable(state, ask, terms.now_ms);
  if (other) {
    const same = holderOf(other).call.discriminating_digest === call.discriminating_digest;
    return same ? joined(ask, terms, other) : [decided(ask, terms, keyReused(judgement), alone)];
  }
  if (ask.key_holder && ask.key_holder.call_id !== ask.meta.call_id) return allowed(ask, terms);
  return approvalRequested(ask, terms);
}

interface Requested<E> {
  event: E;
  source: SourcePosition;
  traceparent: string | undefined;
}

function deferredCall(state: RulingState, call_id: string): AllowedCall | undefined {
  const deferred = state.limits.deferred.get(call_id);
  return deferred && { tenant_id: deferred.meta.tenant_id, revision: deferred.revision, call: deferred.call };
}

/** Cancels a waiting call. An allowed call is left to the executor. For an ended call there is no draft. */
export function cancelCall(state: RulingState, request: Requested<ToolCallCancelRequested>): RulingDraft[] {
  const { meta, principal, reason, only_before_fire = false } = request.event;
  const { source, traceparent } = request;
  const call_id = meta.call_id as string;
  const approval = approvalOfCall(state, call_id);
  if (approval?.status === 'open') {
    if (holderOf(approval).meta.tenant_id !== meta.tenant_id) return [];
    return cancelWaiting(approval, call_id, { cause: meta, principal, reason, source });
  }
  const allowed = state.allowed.get(call_id);
  const waiting = allowed ?? deferredCall(state, call_id);
  if (!waiting || waiting.tenant_id !== meta.tenant_id) return [];
  const { revision, call } = waiting;
  const body = { revision, reason, by: principal, final: allowed === undefined, source, call, only_before_fire };
  return [{ event_type: 'call_cancelled', of: meta, cause: meta, key: call?.idempotency_key ?? call_id, traceparent, body }];
}

/**
 * A person's resolution of a call in doubt counts if the person is an operator or admin and gives a reason; otherwise its refusal is
 * recorded.
 */
export function allowResolution(request: Requested<ToolCallResolveRequested>, now_ms: number): RulingDraft[] {
  const { meta, principal, resolution, output_json, reason } = request.event;
  const about = { of: meta, cause: meta, key: meta.call_id as string, traceparent: request.traceparent };
  const entitled = principal.kind !== 'agent' && principal.roles.some((role) => role === 'operator' || role === 'admin');
  if (entitled && reason.trim() !== '') {
    const body = { resolution, output_json, reason, by: principal, source: request.source };
    return [{ event_type: 'resolution_allowed', ...about, body }];
  }
  const detail = `${meta.call_id}: ${entitled ? 'a resolution needs a reason' : 'resolving needs the role operator or admin'}`;
  return [
    {
      event_type: 'security_event_recorded',
      ...about,
      body: { kind: 'resolution_refused', detail, principal, recorded_at_ms: now_ms, times: 1 },
    },
  ];
}
