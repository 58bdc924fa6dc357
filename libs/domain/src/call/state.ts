import type {
  ApprovalMode,
  CallError,
  DeduplicatedBecause,
  Deferral,
  EffectNow,
  Outcome,
  RulingEffect,
  RulingExplanation,
  Tier,
  ToolCall,
  VoteKind,
} from '@countersign/contracts';

/** The log position of a fact: within one topic and partition the first one wins. */
export interface Position {
  topic: string;
  partition: number;
  offset: number;
}

export interface RulingFact {
  decision_id: string;
  revision: number;
  effect: RulingEffect;
  tier: Tier;
  approval_mode_effective: ApprovalMode;
  rule: string;
  bundle_version: string;
  /** The approval that this call waits for; a joined call shares the approval of the call that it joined. */
  approval_id: string | null;
  reason: CallError | null;
  /** Absent: only the rule decided. */
  explanation?: RulingExplanation;
  joined_call_id: string | null;
  /** What a deferred call waits for; absent if it is not deferred. */
  defer?: Deferral;
  hlc: number;
  event_id: string;
  decided_at_ms: number;
  offset: number;
}

export interface ApprovalFact {
  approval_id: string;
  revision: number;
  requested_at_ms: number;
  expires_at_ms: number;
  quorum: number;
  approver_roles: string[];
  hlc: number;
  event_id: string;
}

/** The first end of the wait for approval, on approval-granted. */
export interface ApprovalEnd {
  kind: 'granted' | 'denied' | 'expired' | 'cancelled';
  revision: number;
  reason: string | null;
  by: string | null;
  at_ms: number;
  hlc: number;
  event_id: string;
  offset: number;
}

export interface StartFact {
  epoch: number;
  revision: number;
  fired_at_ms: number;
  settle_at_ms: number;
  hlc: number;
  event_id: string;
}

/** Why an earlier answer answered this call, and whether the effect of that answer was still in place. */
export interface Deduplication {
  because: DeduplicatedBecause;
  effect_now: EffectNow | null;
  superseded_by: string | null;
}

export interface EndFact {
  kind: 'executed' | 'deduplicated' | 'in_doubt' | 'resolved';
  epoch: number;
  outcome: Outcome;
  original_call_id: string | null;
  /** How an earlier call answered this one; absent if the record does not say. */
  deduplication?: Deduplication;
  at_ms: number;
  hlc: number;
  event_id: string;
  position: Position;
}

/** The result of the newest undo of the effect of a call. */
export interface CompensationFact {
  /** The call that was to undo it. */
  call_id: string;
  outcome: 'compensated' | 'compensation_failed';
  /** The tool verified afterwards that the effect is undone; null: not verified. */
  confirmed: boolean | null;
  at_ms: number;
  hlc: number;
  event_id: string;
  offset: number;
}

/** A vote on an approval of the call, as it was cast. */
export interface VoteFact {
  approval_id: string;
  vote_id: string;
  vote: VoteKind;
  by: string;
  /** Of a delegation: to whom. */
  to: string | null;
  reason: string | null;
  at_ms: number;
  hlc: number;
  event_id: string;
}

/** Why a vote did not count. */
export interface RefusedVoteFact {
  vote_id: string;
  code: string;
  reason: string;
}

/** All recorded facts of one call. `status` is derived (`statusOf`), so facts may arrive in any order across topics. */
export interface CallState {
  call_id: string;
  tenant_id: string;
  partition: number;
  attempt: number;
  correlation_id: string;
  call: ToolCall | null;
  requested: { hlc: number; event_id: string; at_ms: number } | null;
  ruling: RulingFact | null;
  approval: ApprovalFact | null;
  approval_end: ApprovalEnd | null;
  started: StartFact | null;
  doubt: EndFact | null;
  end: EndFact | null;
  /** The requested inputs, if an approver edited them; absent if `call` has them. */
  asked_inputs_json?: string;
  /** Absent: no undo of the effect has ended. */
  compensation?: CompensationFact;
  /** A result with an effect of a run that had lost its claim, or of a call that had ended without one; absent: none. */
  late_effect?: EndFact;
  /** The first votes, in the order of the log; absent: none. */
  votes?: VoteFact[];
  /** The first refusals of votes, in the order of the log; absent: none. */
  refused_votes?: RefusedVoteFact[];
}

/** The effect of a call that ended without one, as far as its record says; undefined: there is none. */
export function lateEffectOf({ end, late_effect }: Pick<CallState, 'end' | 'late_effect'>): EndFact | undefined {
  return end?.outcome.effect === 'none' && end.original_call_id === null ? late_effect : undefined;
}

export type CallStatus =
  | 'pending_policy'
  | 'pending_approval'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'in_doubt'
  | 'compensated'
  | 'compensation_failed';

export const terminalStatuses: ReadonlySet<CallStatus> = new Set([
  'succeeded',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'compensated',
  'compensation_failed',
]);

/** The status derived from the facts. in_doubt is an answer, but it is not terminal. */
export function statusOf(state: CallState): CallStatus {
  if (state.compensation) return state.compensation.outcome;
  if (state.end) return state.end.outcome.status;
  if (state.doubt) return 'in_doubt';
  const revision = state.ruling?.revision ?? 0;
  const end = state.approval_end;
  if (end && end.revision >= revision) return end.kind === 'granted' ? 'running' : end.kind;
  if (state.started && state.started.revision >= revision) return 'running';
  switch (state.ruling?.effect) {
    case undefined:
    case 'defer':
      return 'pending_policy';
    case 'deny':
      return 'denied';
    case 'require_approval':
      return 'pending_approval';
    case 'allow':
      return 'running';
  }
}
