import type { EndUndo, PrepareUndo, SagaCommand } from './commands.js';
import { undoScope } from './consequences.js';
import { endStep } from './decide-step.js';
import { endWait, fact, ofRun, openTicket, undoFailed } from './drafts.js';
import type { SagaFact } from './facts.js';
import { progressOf } from './progress.js';
import { inDoubt, isAsking, type Run, type RunningSaga, runOf } from './state.js';
import { seqOf, undoDue, undoRequested } from './undo-order.js';

/** Compensations that have no call yet. A person's retry keeps key and inputs. */
export function undosDue(saga: RunningSaga): Run[] {
  if (saga.ended || saga.paused_until_ms !== null) return [];
  const scope = undoScope(saga, progressOf(saga));
  const due = undoDue(scope).filter((run) => run.compensation_tool !== null);
  return saga.is_undo ? oneByOne(saga, scope, due) : due;
}

/**
 * Earlier calls may depend on each other without a common resource (a branch, and its checkout), so that they are undone one after the
 * other. An undo that waits for a person holds up only what shares its resources.
 */
function oneByOne(saga: RunningSaga, scope: readonly Run[], due: readonly Run[]): Run[] {
  if (undoRequested(scope).some((run) => !isAsking(saga, run))) return [];
  return due.toSorted((a, b) => seqOf(b) - seqOf(a)).slice(0, 1);
}

export function prepareUndo(saga: RunningSaga, command: PrepareUndo, now_ms: number): SagaFact[] {
  const run = undosDue(saga).find((due) => due.call_id === command.of_call_id);
  if (!run) return [];
  const { call_id, deadline_at_ms, reason } = command;
  const key = run.undo?.key ?? command.key;
  const inputs_json = run.undo?.inputs_json ?? command.inputs_json;
  const tool = run.undo?.key ? (run.undo.tool ?? command.tool) : command.tool;
  const version = run.undo?.key ? (run.undo.version ?? command.version) : command.version;
  const what = { call_id, of_call_id: run.call_id, tool, version, key, inputs_json, deadline_at_ms, reason };
  return [fact(saga, 'compensation_requested', { ...ofRun(run), ...what, requested_at_ms: now_ms })];
}

export function endUndo(saga: RunningSaga, command: EndUndo, now_ms: number): SagaFact[] {
  const run = runOf(saga, command.of_call_id);
  if (!run) return [];
  const { call_id, result, error, duration_ms, retry_count } = command;
  const is_open = run.undo?.state === 'requested' && run.undo.call_id === call_id;
  const is_unprepared = call_id === null && result === 'failed' && undosDue(saga).includes(run);
  if (!is_open && !is_unprepared) return [];
  const closed = is_open && isAsking(saga, run) ? [endWait(saga, run.step_id, 'answered', now_ms)] : [];
  if (result !== 'executed')
    return [...closed, undoFailed(saga, run, result, { failed_at_ms: now_ms, retry_count, ...(error ? { error } : {}) })];
  const { tool, version } = run.undo as { tool: string; version: string };
  const what = { call_id: call_id as string, of_call_id: run.call_id, tool, version };
  return [...closed, fact(saga, 'compensation_executed', { ...ofRun(run), ...what, duration_ms, retry_count, executed_at_ms: now_ms })];
}

type Evidence = Extract<SagaCommand, { kind: 'evidence' }>;

const record = (saga: RunningSaga, run: Run, { direction, happened }: Evidence, recorded_at_ms: number): SagaFact =>
  fact(saga, 'saga_evidence_recorded', { step_id: run.step_id, direction, call_id: run.call_id, happened, recorded_at_ms });

function ofUndo(saga: RunningSaga, run: Run, command: Evidence, now_ms: number): SagaFact[] {
  const state = run.undo?.state;
  const changes = command.happened ? state === 'unconfirmed' || state === 'failed' : state === 'unconfirmed';
  return changes ? [record(saga, run, command, now_ms)] : [];
}

/** Late evidence resolves a doubt. If the call had ended without an effect, it opens a ticket: a person decides about the undo. */
export function evidence(saga: RunningSaga, command: Evidence, now_ms: number): SagaFact[] {
  const run = runOf(saga, command.of_call_id);
  if (!run) return [];
  if (command.direction === 'compensate') return ofUndo(saga, run, command, now_ms);
  if (run.end === null) return endStep(saga, endedAs(run, command.happened), now_ms);
  if (inDoubt(run) && !saga.ended) return [record(saga, run, command, now_ms)];
  if (!command.happened || !run.is_write || run.end.effect === 'happened') return [];
  return [record(saga, run, command, now_ms), openTicket(saga, 'late_effect', run, now_ms)];
}

function endedAs(run: Run, happened: boolean) {
  const how = happened ? ({ status: 'succeeded', effect: 'happened' } as const) : ({ status: 'failed', effect: 'none' } as const);
  return {
    kind: 'step_ended',
    call_id: run.call_id,
    ...how,
    error: null,
    effect_key: run.key,
    effect_attempt: 1,
    is_repaired: false,
  } as const;
}
