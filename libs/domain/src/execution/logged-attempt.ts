import type { ClaimedKey, ClaimedResources, EffectEvidence, OutcomeStatus, SourcePosition } from '@countersign/contracts';
import { compensationIn } from '../call/compensation.js';
import type { PlacedEvent } from '../call/evolve.js';
import { lateEnd, stateAfter } from './evidence.js';
import type { ExecutionState } from './row.js';

/** An end of an attempt, in the form of its row. */
export interface LoggedEnd {
  offset: number;
  state: ExecutionState;
  /** Epoch ms; null: the record does not contain it. */
  ended_at_ms: number | null;
}

/** The facts of one attempt of a key on `tool-executed`. Its row in the arbiter must agree with them. */
export interface LoggedAttempt {
  call_id: string;
  tenant_id: string;
  key: string;
  attempt: number;
  /** The key of edited inputs, which has its own row. */
  also: ClaimedKey | null;
  /** Epochs under which the attempt started, newest last. Empty: it never fired and may have no row. */
  epochs: readonly number[];
  /** The ruling or grant of each start. */
  sources: readonly SourcePosition[];
  resources: ClaimedResources | null;
  /** The end of the attempt; a doubt may be followed by its resolution. */
  ends: readonly LoggedEnd[];
  /** Further ends, for example if two executors ended the attempt; the first end counts. */
  repeats: readonly LoggedEnd[];
  /** Offset of the record that undid its effect; null: not undone. */
  compensated_at: number | null;
}

type Started = Extract<PlacedEvent, { event_type: 'tool_call_started' }>;

/** The state of the row once all records so far are folded into it. */
const stateOf = ({ ends }: LoggedAttempt): ExecutionState => ends.at(-1)?.state ?? 'running';

function started(before: LoggedAttempt | undefined, { event }: Started): LoggedAttempt {
  const { meta, idempotency_key: key, also, epoch, source, resources } = event;
  if (before && before.epochs.length > 0) return { ...before, epochs: [...before.epochs, epoch], sources: [...before.sources, source] };
  const { tenant_id, attempt } = meta;
  // Ends that another executor wrote before this start, without a row.
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

/** The end in the record; undefined if it has none. */
function endIn(at: PlacedEvent): LoggedEnd | undefined {
  switch (at.event_type) {
    case 'tool_executed':
    case 'tool_call_in_doubt':
    case 'tool_call_resolved':
      return ending(at.event.outcome, at.offset);
    // Answered by another call, or judged again: the claimed row is released.
    case 'tool_retry_deduplicated':
    case 'tool_call_rejudged':
      return { offset: at.offset, state: 'released', ended_at_ms: null };
    default:
      return undefined;
  }
}

/** True if the row of the attempt takes this end. */
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

/** Folds a record that undoes the effect of an attempt. The row of one that had ended without an effect stays as it is. */
export function compensatedAttempt(attempt: LoggedAttempt, at: PlacedEvent): LoggedAttempt {
  const compensation = compensationIn(at);
  const { effect } = compensation ?? {};
  if (compensation?.outcome !== 'compensated' || effect?.idempotency_key !== attempt.key || effect.attempt !== attempt.attempt)
    return attempt;
  return attempt.compensated_at === null && stateOf(attempt) !== 'released' ? { ...attempt, compensated_at: at.offset } : attempt;
}

/**
 * Folds a record of `tool-executed` into the attempt of its call (undefined: none is known yet). The records of one call arrive in offset
 * order. Pure.
 */
export function evolveAttempt(before: LoggedAttempt | undefined, at: PlacedEvent): LoggedAttempt | undefined {
  const isNew = before !== undefined && at.event.meta.attempt > before.attempt;
  if (at.event_type === 'tool_call_started') return started(isNew ? undefined : before, at);
  const attempt = before ?? unstarted(at);
  const end = attempt && endIn(at);
  if (!end) return attempt;
  return takes(attempt, at) ? { ...attempt, ends: [...attempt.ends, end] } : { ...attempt, repeats: [...attempt.repeats, end] };
}
