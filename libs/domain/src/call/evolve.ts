import type {
  AnyEvent,
  EventMap,
  EvidenceTopic,
  ExportTopic,
  GlobalTopic,
  Meta,
  Outcome,
  ToolCall,
  TopicEvents,
} from '@countersign/contracts';
import type { ApprovalEnd, CallState, Deduplication, EndFact, Position, RulingFact } from './state.js';
import { voteCast, voteRefused } from './votes.js';

/** An event of a call with its log position. */
export type PlacedEvent = AnyEvent & {
  topic: string;
  partition: number;
  offset: number;
  timestamp_ms: number;
  /** A configuration change that took no effect (change-ledger.ts). Set by readers; it is not on the log. */
  is_refused?: boolean;
  /** W3C traceparent of the span that wrote the event. */
  traceparent?: string | undefined;
};

function initial(meta: Meta): CallState {
  return {
    call_id: meta.call_id as string,
    tenant_id: meta.tenant_id,
    partition: meta.partition,
    attempt: meta.attempt,
    correlation_id: meta.correlation_id,
    call: null,
    requested: null,
    ruling: null,
    approval: null,
    approval_end: null,
    started: null,
    doubt: null,
    end: null,
  };
}

const place = (at: PlacedEvent): Position => ({ topic: at.topic, partition: at.partition, offset: at.offset });
const cause = (meta: Meta) => ({ hlc: meta.hlc, event_id: meta.event_id });

function ruled(state: CallState, event: EventMap['policy_decided'], at: PlacedEvent): CallState {
  const before = state.ruling;
  if (before && (before.revision > event.revision || (before.revision === event.revision && before.offset <= at.offset))) return state;
  const {
    decision_id,
    revision,
    effect,
    tier,
    approval_mode_effective,
    rule,
    bundle_version,
    approval_id,
    reason,
    joined_call_id,
    explanation,
  } = event;
  const ruling: RulingFact = {
    decision_id,
    revision,
    effect,
    tier,
    approval_mode_effective,
    rule,
    bundle_version,
    approval_id,
    reason,
    joined_call_id,
    hlc: event.meta.hlc,
    event_id: event.meta.event_id,
    decided_at_ms: at.timestamp_ms,
    offset: at.offset,
  };
  if (event.defer) ruling.defer = event.defer;
  if (explanation) ruling.explanation = explanation;
  const mappedLate = event.call.mapped && !state.call?.mapped;
  if (explanation?.inputs_digest || mappedLate) return edited({ ...state, ruling }, event.call);
  return { ...state, call: state.call ?? event.call, ruling };
}

/** Sets the call with inputs that an approver may have edited, and keeps the requested inputs beside them if the request has been read. */
function edited(state: CallState, call: ToolCall): CallState {
  const { asked_inputs_json: before, ...rest } = state;
  const requestedInputs = before ?? (state.requested ? state.call?.inputs_json : undefined);
  return requestedInputs === undefined || requestedInputs === call.inputs_json
    ? { ...rest, call }
    : { ...rest, call, asked_inputs_json: requestedInputs };
}

function ended(
  state: CallState,
  kind: EndFact['kind'],
  outcome: Outcome,
  meta: Meta,
  at: PlacedEvent,
  more: { epoch?: number; original_call_id?: string; deduplication?: Deduplication | undefined },
): CallState {
  if (state.end) return state;
  const end: EndFact = {
    kind,
    epoch: more.epoch ?? 0,
    outcome,
    original_call_id: more.original_call_id ?? null,
    at_ms: at.timestamp_ms,
    hlc: meta.hlc,
    event_id: meta.event_id,
    position: place(at),
  };
  if (more.deduplication) end.deduplication = more.deduplication;
  return kind === 'in_doubt' ? { ...state, doubt: state.doubt ?? end } : { ...state, end };
}

/** Keeps the evidence of an effect of which the end says nothing. The first one counts. */
function withLate(state: CallState, { outcome, meta, epoch }: EventMap['tool_executed'], at: PlacedEvent): CallState {
  if (outcome.effect !== 'happened' || state.late_effect || (state.end && state.end.outcome.effect !== 'none')) return state;
  const late = { kind: 'executed', epoch, outcome, original_call_id: null, at_ms: at.timestamp_ms, position: place(at) } as const;
  return { ...state, late_effect: { ...late, ...cause(meta) } };
}

/**
 * A late result of an epoch that lost its claim is evidence: it ends a doubt, and an effect is kept; it changes nothing else
 * (docs/explanation/architecture.md, "Epochs").
 */
function executed(state: CallState, event: EventMap['tool_executed'], at: PlacedEvent): CallState {
  const stale = state.started !== null && event.epoch < state.started.epoch;
  if (state.end || (stale && !state.doubt)) return withLate(state, event, at);
  return ended(state, state.doubt ? 'resolved' : 'executed', event.outcome, event.meta, at, { epoch: event.epoch });
}

function deduplicated(state: CallState, event: EventMap['tool_retry_deduplicated'], at: PlacedEvent): CallState {
  const { original_call_id, because, effect_now, superseded_by, outcome, meta } = event;
  const deduplication = because ? { because, effect_now, superseded_by } : undefined;
  return ended(state, 'deduplicated', outcome, meta, at, { original_call_id, deduplication });
}

/** Folds the request. Edited inputs stay, whichever of the two topics is read first. */
function requested(state: CallState, event: EventMap['tool_call_requested']): CallState {
  if (state.requested) return state;
  const mappedLate = state.call?.mapped && !event.call.mapped;
  const changed = state.approval_end?.kind === 'granted' || state.ruling?.explanation?.inputs_digest || mappedLate;
  const { hlc, event_id } = event.meta;
  const withRequest = { ...state, call: event.call, requested: { hlc, event_id, at_ms: event.call.requested_at_ms } };
  return changed && state.call ? edited(withRequest, state.call) : withRequest;
}

function approvalRequested(state: CallState, event: EventMap['approval_requested']): CallState {
  if (state.approval && state.approval.revision >= event.revision) return state;
  const { approval_id, revision, requested_at_ms, expires_at_ms, quorum, approver_roles } = event;
  const approval = { approval_id, revision, requested_at_ms, expires_at_ms, quorum, approver_roles, ...cause(event.meta) };
  return { ...state, approval };
}

/** Updates the current approvers and the expiry. */
function approvalEscalated(state: CallState, event: EventMap['approval_escalated']): CallState {
  const { approval } = state;
  if (approval?.approval_id !== event.approval_id || approval.expires_at_ms >= event.expires_at_ms) return state;
  const { expires_at_ms, quorum, approver_roles, rule } = event;
  // Only one of several parts escalated: the others keep their groups.
  if (rule !== null)
    return { ...state, approval: { ...approval, approver_roles: [...new Set([...approval.approver_roles, ...approver_roles])] } };
  return { ...state, approval: { ...approval, expires_at_ms, quorum, approver_roles } };
}

type ApprovalEnding = Extract<PlacedEvent, { event_type: 'approval_granted' | 'approval_denied' | 'approval_expired' | 'call_cancelled' }>;

/** How an event on approval-granted ends the wait; undefined for a cancellation that the executor completes. */
function approvalEndOf(at: ApprovalEnding): Pick<ApprovalEnd, 'kind' | 'reason' | 'by' | 'at_ms'> | undefined {
  switch (at.event_type) {
    case 'approval_granted':
      return { kind: 'granted', reason: null, by: at.event.votes.map((vote) => vote.voter_id).join(', '), at_ms: at.timestamp_ms };
    case 'approval_denied':
      return { kind: 'denied', reason: at.event.reason, by: at.event.by.id, at_ms: at.timestamp_ms };
    case 'approval_expired':
      return { kind: 'expired', reason: null, by: null, at_ms: at.event.expired_at_ms };
    case 'call_cancelled':
      return at.event.final ? { kind: 'cancelled', reason: at.event.reason, by: at.event.by.id, at_ms: at.timestamp_ms } : undefined;
  }
}

function approvalEnded(state: CallState, at: ApprovalEnding): CallState {
  const end = approvalEndOf(at);
  const { revision, meta } = at.event;
  const before = state.approval_end;
  if (!end || (before && (before.revision > revision || (before.revision === revision && before.offset <= at.offset)))) return state;
  const after = { ...state, approval_end: { ...end, revision, ...cause(meta), offset: at.offset } };
  return at.event_type === 'approval_granted' ? edited(after, at.event.call) : after;
}

function started(state: CallState, event: EventMap['tool_call_started']): CallState {
  if (state.started && state.started.epoch >= event.epoch && state.started.revision >= event.revision) return state;
  const { epoch, revision, fired_at_ms, settle_at_ms } = event;
  const { hlc, event_id } = event.meta;
  return { ...state, started: { epoch, revision, fired_at_ms, settle_at_ms, hlc, event_id } };
}

function changed(state: CallState, at: PlacedEvent): CallState {
  switch (at.event_type) {
    case 'tool_call_requested':
      return requested(state, at.event);
    case 'policy_decided':
      return ruled(state, at.event, at);
    case 'approval_requested':
      return approvalRequested(state, at.event);
    case 'approval_escalated':
      return approvalEscalated(state, at.event);
    case 'approval_granted':
    case 'approval_denied':
    case 'approval_expired':
    case 'call_cancelled':
      return approvalEnded(state, at);
    case 'tool_call_started':
      return started(state, at.event);
    case 'tool_executed':
      return executed(state, at.event, at);
    case 'tool_retry_deduplicated':
      return deduplicated(state, at.event, at);
    case 'tool_call_in_doubt':
      return ended(state, 'in_doubt', at.event.outcome, at.event.meta, at, { epoch: at.event.epoch });
    case 'tool_call_resolved':
      return ended(state, 'resolved', at.event.outcome, at.event.meta, at, {});
    case 'approval_voted':
      return voteCast(state, at.event);
    case 'approval_vote_refused':
      return voteRefused(state, at.event);
    case 'tool_call_rejudged':
    case 'tool_call_cancel_requested':
    case 'tool_call_resolve_requested':
    case 'approval_viewed':
    case 'approval_vote_counted':
    case 'approval_reminded':
    case 'resolution_allowed':
      return state;
    default: {
      // A new event of a call's topics is a compile error here. Sagas and events of global topics belong to no call.
      at.event_type satisfies TopicEvents[GlobalTopic | EvidenceTopic | ExportTopic | 'compensation' | 'saga-requested']['event_type'];
      return state;
    }
  }
}

/**
 * Folds one event into the state of its call (undefined: its first event). Pure. Duplicates change nothing. The order of events across
 * topics does not matter; within one topic and partition they arrive in offset order.
 */
export function evolve(before: CallState | undefined, at: PlacedEvent): CallState {
  const { meta } = at.event;
  const state = changed(before ?? initial(meta), at);
  return state.attempt < meta.attempt ? { ...state, attempt: meta.attempt } : state;
}
