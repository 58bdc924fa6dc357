import { type CallError, canonicalText, type RulingEffect, type Tier } from '@countersign/contracts';
import { type CallState, type CallStatus, statusOf } from '@countersign/domain';
import type { ResultSource, SimulatedWorld, UnknownBecause } from './simulated-world.js';

/** A call in one of the two worlds. Times are epoch ms. */
export interface ComparedCall {
  effect: RulingEffect | null;
  rule: string | null;
  tier: Tier | null;
  bundle_version: string | null;
  reason: CallError | null;
  revision: number;
  status: CallStatus;
  joined_call_id: string | null;
  /** Null if no approval was required. */
  approval: { approval_id: string; end: 'open' | 'granted' | 'denied' | 'expired' | 'cancelled'; ended_at_ms: number | null } | null;
  started_at_ms: number | null;
  ended_at_ms: number | null;
}

export type Difference =
  | 'left_out'
  | 'newly_allowed'
  | 'newly_denied'
  | 'approval_added'
  | 'approval_avoided'
  | 'newly_deferred'
  | 'rule'
  | 'status'
  | 'started_earlier'
  | 'started_later'
  | 'never_started'
  | 'newly_started'
  | 'result';

/** Compares the counterfactual course of a call with the recorded one. */
export interface CallComparison {
  call_id: string;
  tool: string;
  version: string;
  case_id: string | null;
  requested_at_ms: number;
  recorded: ComparedCall;
  /** Null: the call is left out. */
  counterfactual: ComparedCall | null;
  differences: Difference[];
  /** Negative: later. Null unless it started in both worlds. */
  started_earlier_by_ms: number | null;
  /** Null: no result, or an unknown one. */
  result: ResultSource | null;
  unknown: UnknownBecause[];
  /** Earlier calls of the same run that ended differently. The agent is assumed to make this call nevertheless. */
  assumed_unchanged: string[];
}

const SAME_MS = 5;

function startOf({ started, end, doubt }: CallState): number | null {
  if (started) return started.fired_at_ms;
  const ran = end ?? doubt;
  if (!ran || ran.kind === 'deduplicated' || ['expired', 'cancelled', 'denied'].includes(ran.outcome.status)) return null;
  return ran.outcome.started_at_ms;
}

/** The compared fields of a call. */
function comparedCall(state: CallState): ComparedCall {
  const { ruling, approval, approval_end, end } = state;
  const needsApproval = approval_end !== null || ruling?.effect === 'require_approval';
  const approval_id = ruling?.approval_id ?? approval?.approval_id ?? '';
  return {
    effect: ruling?.effect ?? null,
    rule: ruling?.rule ?? null,
    tier: ruling?.tier ?? null,
    bundle_version: ruling?.bundle_version ?? null,
    reason: ruling?.reason ?? null,
    revision: ruling?.revision ?? 0,
    status: statusOf(state),
    joined_call_id: ruling?.joined_call_id ?? null,
    approval: needsApproval ? { approval_id, end: approval_end?.kind ?? 'open', ended_at_ms: approval_end?.at_ms ?? null } : null,
    started_at_ms: startOf(state),
    ended_at_ms: end?.at_ms ?? null,
  };
}

function effectDifference(before: ComparedCall, after: ComparedCall): Difference | undefined {
  if (before.effect === after.effect) return before.rule === after.rule ? undefined : 'rule';
  if (after.effect === 'deny') return 'newly_denied';
  if (after.effect === 'defer') return 'newly_deferred';
  if (after.effect === 'require_approval') return 'approval_added';
  return before.effect === 'require_approval' ? 'approval_avoided' : 'newly_allowed';
}

function startDifference(before: ComparedCall, after: ComparedCall): { kind?: Difference; earlier_by_ms: number | null } {
  const [then, now] = [before.started_at_ms, after.started_at_ms];
  if (then === null || now === null) {
    if (then === now) return { earlier_by_ms: null };
    return { kind: now === null ? 'never_started' : 'newly_started', earlier_by_ms: null };
  }
  const earlier_by_ms = then - now;
  if (Math.abs(earlier_by_ms) <= SAME_MS) return { earlier_by_ms: 0 };
  return { kind: earlier_by_ms > 0 ? 'started_earlier' : 'started_later', earlier_by_ms };
}

/** Compares one call in both worlds. `unreproduced`: why the recorded course cannot be reproduced; undefined if it can. */
export function compared(
  world: SimulatedWorld,
  call_id: string,
  unreproduced: string | undefined,
): Omit<CallComparison, 'assumed_unchanged'> {
  const recorded = world.records.get(call_id) as { state: CallState };
  const { call } = recorded.state;
  const before = comparedCall(recorded.state);
  const state = world.calls.get(call_id);
  const isLeftOut = world.changes.some((change) => change.kind === 'left_out' && change.call_id === call_id);
  const after = state ? withoutUnknown(comparedCall(state), world, call_id) : null;
  const unknown = [...(world.unknown.get(call_id) ?? [])];
  if (world.recording.erased.has(call_id)) unknown.push({ what: 'ruling', why: 'its inputs are erased', call_id: null });
  else if (unreproduced !== undefined) unknown.push({ what: 'ruling', why: unreproduced, call_id: null });
  const isUnknown = unknown.some(({ what }) => what === 'ruling');
  const start = after && !isUnknown ? startDifference(before, after) : { earlier_by_ms: null };
  const effect = after ? effectDifference(before, after) : undefined;
  const source = world.sources.get(call_id) ?? null;
  const differences: Difference[] = [
    ...(isLeftOut ? (['left_out'] as const) : []),
    ...(effect && !isUnknown ? [effect] : []),
    ...(after && !isUnknown && before.status !== after.status ? (['status'] as const) : []),
    ...(start.kind ? [start.kind] : []),
    ...(source?.kind === 'replaced' ? (['result'] as const) : []),
  ];
  return {
    call_id,
    tool: call?.tool ?? '',
    version: call?.version ?? '',
    case_id: call?.case_id ?? null,
    requested_at_ms: recorded.state.requested?.at_ms ?? 0,
    recorded: before,
    counterfactual: after,
    differences,
    started_earlier_by_ms: start.earlier_by_ms,
    result: source,
    unknown,
  };
}

/** A call with an unknown result started when it was allowed to; its end is unknown. */
function withoutUnknown(compared: ComparedCall, world: SimulatedWorld, call_id: string): ComparedCall {
  if (compared.status !== 'running' || !world.unknown.get(call_id)?.some(({ what }) => what === 'result')) return compared;
  return { ...compared, started_at_ms: world.started.get(call_id) ?? null };
}

/** Why deciding the unchanged record again does not reproduce the call; undefined if it does. */
export function unreproduced(unchanged: SimulatedWorld, call_id: string): string | undefined {
  const recorded = unchanged.records.get(call_id)?.state;
  const again = unchanged.calls.get(call_id);
  if (!recorded) return 'it is not on record';
  if (!again) return 'it is not decided again';
  const [before, after] = [decisive(recorded), decisive(again)];
  const field = Object.keys(before).find((name) => canonicalText(before[name]) !== canonicalText(after[name]));
  return field && `the record cannot be reproduced: its ${field} is ${short(before[field])}, decided again ${short(after[field])}`;
}

const short = (value: unknown): string => (canonicalText(value) ?? 'nothing').slice(0, 200);

/** The fields that must be equal. Times of waits depend on the polling of a service and are omitted. */
export function decisive(state: CallState): Record<string, unknown> {
  const { ruling, approval, approval_end, end } = state;
  return {
    ruling: ruling && {
      revision: ruling.revision,
      effect: ruling.effect,
      tier: ruling.tier,
      approval_mode_effective: ruling.approval_mode_effective,
      rule: ruling.rule,
      bundle_version: ruling.bundle_version,
      approval_id: ruling.approval_id,
      joined_call_id: ruling.joined_call_id,
      code: ruling.reason?.code ?? null,
      matched: ruling.explanation?.matched ?? null,
      shadow: ruling.explanation?.shadow?.effect ?? null,
      until: ruling.defer ? { until: ruling.defer.until, call_ids: ruling.defer.call_ids, limit_id: ruling.defer.limit_id } : null,
    },
    approval: approval && {
      approval_id: approval.approval_id,
      revision: approval.revision,
      expires_at_ms: approval.expires_at_ms,
      quorum: approval.quorum,
      approver_roles: approval.approver_roles,
    },
    approval_end: approval_end && { kind: approval_end.kind, revision: approval_end.revision, by: approval_end.by },
    end: end && { kind: end.kind, status: end.outcome.status, output_json: end.outcome.output_json, original: end.original_call_id },
    status: statusOf(state),
  };
}
