import type { ClaimedKey, ClaimedResources, EffectEvidence, OutcomeStatus, SourcePosition } from '@countersign/contracts';
import { compensationIn } from '../call/compensation.js';
import type { PlacedEvent } from '../call/evolve.js';
import { lateEnd, stateAfter } from './evidence.js';
import type { ExecutionState } from './row.js';

/** An end of an attempt, as its row shows it. */
export interface LoggedEnd {
  offset: number;
  state: ExecutionState;
  /** Null: the record does not say. Epoch ms. */
  ended_at_ms: number | null;
}

/** What `tool-executed` says of one attempt of a key: what its row in the arbiter has to say. */
export interface LoggedAttempt {
  call_id: string;
  tenant_id: string;
  key: string;
  attempt: number;
  /** The key of edited inputs, which has a row of its own. */
  also: ClaimedKey | null;
  /** Epochs under which it started, the newest last; none: it never fired, and need not have a row. */
  epochs: readonly number[];
  /** Of its starts: the ruling or grant that it ran under. */
  sources: readonly SourcePosition[];
  resources: ClaimedResources | null;
  /** A doubt may be followed by what resolves it. */
  ends: readonly LoggedEnd[];
  /** What was written of it after its end, as where two executors ended it: the row of the one that had it says so. */
  repeats: readonly LoggedEnd[];
  /** Offset of the record that undid its effect; null: none did. */
  compensated_at: number | null;
}

type Started = Extract<PlacedEvent, { event_type: 'tool_call_started' }>;

/** The state of its row once everything up to here is folded into it. */
const stateOf = ({ ends }: LoggedAttempt): ExecutionState => ends.at(-1)?.state ?? 'running';

function started(before: LoggedAttempt | undefined, { event }: Started): LoggedAttempt {
  const { meta, idempotency_key: key, also, epoch, source, resources } = event;
  if (before && before.epochs.length > 0) return { ...before, epochs: [...before.epochs, epoch], sources: [...before.sources, source] };
  const { tenant_id, attempt } = meta;
  // What another executor wrote before, without a row of its own.
  const repeats = before ? [...before.ends, ...before.repeats] : [];
  const begun = { epochs: [epoch], sources: [source], ends: [], repeats };
  return { call_id: meta.call_id as string, tenant_id, key, attempt, also, resources, compensated_at: null, ...begun };
}

interface Outcome {
  status: OutcomeStatus;
  effect: EffectEvidence;
  ended_at_ms: number;
}

const ending = (outcome: Outcome, offset: number): LoggedEnd => ({
  offset,
  state: stateAfter(outcome),
  ended_at_ms: outcome.ended_at_ms,
});

/** The end that the record tells; undefined where it tells none. */
function endIn(at: PlacedEvent): LoggedEnd | undefined {
  switch (at.event_type) {
    case 'tool_executed':
    case 'tool_call_in_doubt':
    case 'tool_call_resolved':
      return ending(at.event.outcome, at.offset);
    // Answered by another call, or judged again: a row that it claimed is free again.
    case 'tool_retry_deduplicated':
    case 'tool_call_rejudged':
      return { offset: at.offset, state: 'released', ended_at_ms: null };
    default:
      return undefined;
  }
}

/** Whether its row takes this end. */
function takes(attempt: LoggedAttempt, at: PlacedEvent): boolean {
  const state = stateOf(attempt);
  if (at.event_type === 'tool_executed')
    return lateEnd({ state, started_epoch: attempt.epochs.at(-1) ?? null }, at.event).kind !== 'nothing';
  return state === 'running' || (state === 'in_doubt' && at.event_type === 'tool_call_resolved');
}

function unstarted(at: PlacedEvent): LoggedAttempt | undefined {
  if (at.event_type !== 'tool_executed' && at.event_type !== 'tool_call_in_doubt') return undefined;
  const { meta, idempotency_key: key, also } = at.event;
  const { tenant_id, attempt } = meta;
  return {
    call_id: meta.call_id as string,
    tenant_id,
    key,
    attempt,
    also,
    epochs: [],
    sources: [],
    resources: null,
    ends: [],
    repeats: [],
    compensated_at: null,
  };
}

/** Folds a record that undoes the effect of an attempt: its row says so from then on. */
export function compensatedAttempt(attempt: LoggedAttempt, at: PlacedEvent): LoggedAttempt {
  const compensation = compensationIn(at);
  const { effect } = compensation ?? {};
  if (compensation?.outcome !== 'compensated' || effect?.idempotency_key !== attempt.key || effect.attempt !== attempt.attempt)
    return attempt;
  return attempt.compensated_at === null ? { ...attempt, compensated_at: at.offset } : attempt;
}

/**
 * Folds a record of `tool-executed` into the attempt of its call; undefined: none is known (yet). Records of one call come in
 * offset order. Pure.
 */
export function evolveAttempt(before: LoggedAttempt | undefined, at: PlacedEvent): LoggedAttempt | undefined {
  const isNew = before !== undefined && at.event.meta.attempt > before.attempt;
  if (at.event_type === 'tool_call_started') return started(isNew ? undefined : before, at);
  const attempt = before ?? unstarted(at);
  const end = attempt && endIn(at);
  if (!end) return attempt;
  return takes(attempt, at) ? { ...attempt, ends: [...attempt.ends, end] } : { ...attempt, repeats: [...attempt.repeats, end] };
}
