import type { WaitBlock } from '../definition/definition.js';
import { blockNamed } from '../definition/places.js';
import { cancelRun, endWait, fact, openTicket, undoFailed } from './drafts.js';
import type { SagaFact } from './facts.js';
import type { Due, Part } from './part.js';
import { progressOf } from './progress.js';
import { hasTicket, inDoubt, isLive, mayHavePivot, pivotOf, type Run, type RunningSaga, runsOf, type Ticket } from './state.js';
import { stuckIn, turnedBack, undoDue, undoRequested } from './undo-order.js';

/**
 * Calls whose undo is requested now: those of dropped branches while the saga runs forward; once it compensates, all calls after the pivot.
 */
export function undoScope(saga: RunningSaga, part: Part): readonly Run[] {
  return saga.turned ? turnedBack(saga) : part.undo;
}

function missingTicket(
  saga: RunningSaga,
  ticket: Ticket['ticket'],
  run: { step_id: string | null; call_id: string | null },
  now_ms: number,
): SagaFact[] {
  const { step_id, call_id } = run;
  return hasTicket(saga, { ticket, step_id, call_id }) ? [] : [openTicket(saga, ticket, run, now_ms)];
}

function openWait(saga: RunningSaga, due: Due, now_ms: number): SagaFact {
  const block = blockNamed(saga.definition, due.name) as WaitBlock;
  const wait = due.kind === 'manual' ? 'manual' : block.wait;
  const timeout_ms = due.kind === 'manual' ? saga.wait_max_ms : block.timeout_ms;
  const bound_ms = wait === 'approval' || wait === 'manual' ? Math.min(timeout_ms, saga.wait_max_ms) : timeout_ms;
  const event_name = wait === 'event' ? (block.subject ?? null) : null;
  return fact(saga, 'saga_wait_opened', { step_id: due.id, wait, event_name, until_ms: now_ms + bound_ms, opened_at_ms: now_ms });
}

/** Cancels calls and withdraws waits that are no longer needed: one record each, before anything is sent. */
function dropped(saga: RunningSaga, runs: readonly Run[], waits: readonly string[], now_ms: number): SagaFact[] {
  const reason = saga.is_cancelled ? 'cancelled' : saga.is_overdue ? 'deadline' : 'not_needed';
  const cancels = runs.filter((run) => isLive(run) && !run.is_cancelling).map((run) => cancelRun(saga, run, reason, now_ms));
  const withdrawn = waits.filter((id) => saga.waits.get(id)?.end === null).map((id) => endWait(saga, id, 'withdrawn', now_ms));
  return [...cancels, ...withdrawn];
}

/** Records effects that no call can undo, and opens a ticket for each stuck compensation. */
function afterUndo(saga: RunningSaga, scope: readonly Run[], now_ms: number): SagaFact[] {
  const missing = undoDue(scope).filter((run) => run.compensation_tool === null);
  if (missing.length > 0) return missing.map((run) => undoFailed(saga, run, 'missing', { failed_at_ms: now_ms }));
  return stuckIn(scope).flatMap((run) => missingTicket(saga, 'compensation_failed', run, now_ms));
}

function turn(saga: RunningSaga, part: Part, now_ms: number): SagaFact {
  const cause = saga.is_undo ? 'requested' : saga.is_cancelled ? 'cancelled' : part.verdict === 'failed' ? 'step_failed' : 'deadline';
  const about = { cause, failed_step_id: part.failed_step_id, pivot_step_id: pivotOf(saga)?.step_id ?? null, reason: null } as const;
  return fact(saga, 'saga_compensation_started', { ...about, started_at_ms: now_ms });
}

/**
 * Stops the saga: cancels running calls. Once all have ended it starts compensating or, if an irreversible step took effect, asks a person.
 * While nobody knows whether one did, it waits for evidence, unless a person cancelled it: a cancelled saga goes back to the pivot anyway.
 */
function stopping(saga: RunningSaga, part: Part, now_ms: number): SagaFact[] {
  const drop = dropped(saga, runsOf(saga), [...saga.waits.keys()], now_ms);
  if (drop.length > 0 || runsOf(saga).some(isLive)) return drop;
  if (saga.is_undo || saga.is_cancelled) return [turn(saga, part, now_ms)];
  if (mayHavePivot(saga)) return doubtTickets(saga, now_ms);
  if (!pivotOf(saga)) return [turn(saga, part, now_ms)];
  return missingTicket(saga, 'failed_after_pivot', { step_id: part.failed_step_id, call_id: null }, now_ms);
}

function doubtTickets(saga: RunningSaga, now_ms: number): SagaFact[] {
  return runsOf(saga)
    .filter(inDoubt)
    .flatMap((run) => missingTicket(saga, 'in_doubt', run, now_ms));
}

/** The deadline stops nothing after the pivot, and nothing that runs while an irreversible step is in doubt. */
function forward(saga: RunningSaga, now_ms: number): SagaFact[] {
  const part = progressOf(saga);
  const is_beyond = pivotOf(saga) !== undefined;
  const is_late = saga.is_overdue && !is_beyond;
  if (saga.is_undo || saga.is_cancelled || part.verdict === 'failed' || (is_late && !mayHavePivot(saga)))
    return stopping(saga, part, now_ms);
  const late = saga.is_overdue && is_beyond ? missingTicket(saga, 'overdue_after_pivot', { step_id: null, call_id: null }, now_ms) : [];
  const facts = [
    ...late,
    ...dropped(saga, part.drop, part.drop_waits, now_ms),
    ...afterUndo(saga, part.undo, now_ms),
    ...doubtTickets(saga, now_ms),
  ];
  if (facts.length > 0 || saga.paused_until_ms !== null || is_late) return facts;
  if (part.verdict === 'succeeded') return undoRequested(runsOf(saga)).length > 0 ? [] : [end(saga, 'completed', now_ms)];
  return part.due.filter(({ kind }) => kind === 'wait' || kind === 'manual').map((due) => openWait(saga, due, now_ms));
}

function end(saga: RunningSaga, status: SagaFact<'saga_ended'>['body']['status'], ended_at_ms: number): SagaFact {
  const about = { failed_step_id: saga.turned?.failed_step_id ?? null, pivot_step_id: pivotOf(saga)?.step_id ?? null };
  return fact(saga, 'saga_ended', { status, ...about, error: null, reason: saga.turned?.cause ?? null, ended_at_ms });
}

function endOfTurn(saga: RunningSaga, now_ms: number): SagaFact {
  const undos = runsOf(saga).flatMap((run) => (run.undo ? [run.undo.state] : []));
  if (undos.includes('accepted')) return end(saga, 'compensation_failed', now_ms);
  return end(saga, undos.length > 0 ? 'compensated' : 'aborted', now_ms);
}

function turned(saga: RunningSaga, now_ms: number): SagaFact[] {
  const scope = turnedBack(saga);
  const facts = [...afterUndo(saga, scope, now_ms), ...doubtTickets(saga, now_ms)];
  const is_busy = undoDue(scope).length > 0 || undoRequested(scope).length > 0 || runsOf(saga).some(inDoubt) || stuckIn(scope).length > 0;
  return facts.length > 0 || is_busy || saga.paused_until_ms !== null ? facts : [endOfTurn(saga, now_ms)];
}

/** The records that follow from a state by itself; empty if the saga waits for a call, a person or a time. */
export function consequencesOf(saga: RunningSaga, now_ms: number): SagaFact[] {
  if (saga.ended) return [];
  return saga.turned ? turned(saga, now_ms) : forward(saga, now_ms);
}
