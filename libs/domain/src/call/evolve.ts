import type { AnyEvent, EventMap, Meta, Outcome } from '@countersign/contracts';
import type { ApprovalEnd, CallState, EndFact, Position } from './state.js';

/** An event of a call with its place on the log. */
export type PlacedEvent = AnyEvent & { topic: string; partition: number; offset: number; timestamp_ms: number };

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
  const { decision_id, revision, effect, tier, approval_mode_effective, rule, bundle_version, reason, joined_call_id } = event;
  const ruling = {
    decision_id,
    revision,
    effect,
    tier,
    approval_mode_effective,
    rule,
    bundle_version,
    reason,
    joined_call_id,
    ...cause(event.meta),
    decided_at_ms: at.timestamp_ms,
    offset: at.offset,
  };
  return { ...state, call: state.call ?? event.call, ruling };
}

function approvalEnded(state: CallState, end: Omit<ApprovalEnd, 'hlc' | 'event_id' | 'offset'>, meta: Meta, at: PlacedEvent): CallState {
  const before = state.approval_end;
  if (before && (before.revision > end.revision || (before.revision === end.revision && before.offset <= at.offset))) return state;
  return { ...state, approval_end: { ...end, ...cause(meta), offset: at.offset } };
}

function ended(
  state: CallState,
  kind: EndFact['kind'],
  outcome: Outcome,
  meta: Meta,
  at: PlacedEvent,
  more: { epoch?: number; original_call_id?: string },
): CallState {
  if (state.end) return state;
  const end: EndFact = {
    kind,
    epoch: more.epoch ?? 0,
    outcome,
    original_call_id: more.original_call_id ?? null,
    at_ms: at.timestamp_ms,
    ...cause(meta),
    position: place(at),
  };
  return kind === 'in_doubt' ? { ...state, doubt: state.doubt ?? end } : { ...state, end };
}

/** A late result of an epoch that lost its claim is evidence: it ends a doubt and changes nothing else (DESIGN section 3). */
function executed(state: CallState, event: EventMap['tool_executed'], at: PlacedEvent): CallState {
  const stale = state.started !== null && event.epoch < state.started.epoch;
  if (stale && !state.doubt) return state;
  return ended(state, state.doubt ? 'resolved' : 'executed', event.outcome, event.meta, at, { epoch: event.epoch });
}

/**
 * Folds one event into the state of its call (undefined: the first one seen). Pure. Duplicates change nothing, and the
 * order of events of different topics does not matter; within one topic and partition they come in offset order.
 */
export function evolve(before: CallState | undefined, at: PlacedEvent): CallState {
  const state = before ?? initial(at.event.meta);
  switch (at.event_type) {
    case 'tool_call_requested':
      return state.requested
        ? state
        : {
            ...state,
            attempt: Math.max(state.attempt, at.event.meta.attempt),
            call: state.call ?? at.event.call,
            requested: { ...cause(at.event.meta), at_ms: at.event.call.requested_at_ms },
          };
    case 'policy_decided':
      return ruled(state, at.event, at);
    case 'approval_requested': {
      if (state.approval && state.approval.revision >= at.event.revision) return state;
      const { approval_id, revision, requested_at_ms, expires_at_ms, quorum, approver_roles } = at.event;
      return {
        ...state,
        approval: { approval_id, revision, requested_at_ms, expires_at_ms, quorum, approver_roles, ...cause(at.event.meta) },
      };
    }
    case 'approval_granted':
      return approvalEnded(
        { ...state, call: at.event.call },
        {
          kind: 'granted',
          revision: at.event.revision,
          reason: null,
          by: at.event.votes.map((vote) => vote.voter_id).join(', '),
          at_ms: at.timestamp_ms,
        },
        at.event.meta,
        at,
      );
    case 'approval_denied':
      return approvalEnded(
        state,
        { kind: 'denied', revision: at.event.revision, reason: at.event.reason, by: at.event.by.id, at_ms: at.timestamp_ms },
        at.event.meta,
        at,
      );
    case 'approval_expired':
      return approvalEnded(
        state,
        { kind: 'expired', revision: at.event.revision, reason: null, by: null, at_ms: at.event.expired_at_ms },
        at.event.meta,
        at,
      );
    case 'call_cancelled':
      if (!at.event.final) return state;
      return approvalEnded(
        state,
        { kind: 'cancelled', revision: at.event.revision, reason: at.event.reason, by: at.event.by.id, at_ms: at.timestamp_ms },
        at.event.meta,
        at,
      );
    case 'tool_call_started': {
      if (state.started && state.started.epoch >= at.event.epoch && state.started.revision >= at.event.revision) return state;
      const { epoch, revision, fired_at_ms, settle_at_ms } = at.event;
      return { ...state, attempt: at.event.meta.attempt, started: { epoch, revision, fired_at_ms, settle_at_ms, ...cause(at.event.meta) } };
    }
    case 'tool_executed':
      return executed(state, at.event, at);
    case 'tool_retry_deduplicated':
      return ended(state, 'deduplicated', at.event.outcome, at.event.meta, at, { original_call_id: at.event.original_call_id });
    case 'tool_call_in_doubt':
      return ended(state, 'in_doubt', at.event.outcome, at.event.meta, at, { epoch: at.event.epoch });
    case 'tool_call_resolved':
      return ended(state, 'resolved', at.event.outcome, at.event.meta, at, {});
    case 'tool_call_rejudged':
    case 'tool_call_cancel_requested':
    case 'tool_call_resolve_requested':
    case 'approval_voted':
    case 'approval_viewed':
    case 'approval_vote_counted':
    case 'approval_vote_refused':
    case 'resolution_allowed':
    case 'tenant_set':
    case 'api_key_set':
    case 'api_key_revoked':
    case 'tool_policy_set':
    case 'tool_lifecycle_set':
    case 'case_set':
    case 'tool_registered':
    case 'security_event_recorded':
    case 'record_dead_lettered':
      return state;
    default: {
      const unhandled: never = at;
      return unhandled;
    }
  }
}
