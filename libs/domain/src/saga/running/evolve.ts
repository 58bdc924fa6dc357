import type { SagaStarted, SagaStepRequested } from '@countersign/contracts';
import type { SagaDefinition } from '../definition/definition.js';
import { holdClock, releaseClock } from './clock.js';
import { copyOf, ownEntry, ownRun } from './copy.js';
import { STEP_DEADLINE } from './drafts.js';
import { stepsOfEarlierCalls } from './earlier-effects.js';
import { foldControl } from './evolve-control.js';
import { foldUndo } from './evolve-undo.js';
import type { SagaFact } from './facts.js';
import { isRecorded } from './record.js';
import { type Run, type RunningSaga, runOf, type SagaState, type StepEntry } from './state.js';

/** A saga as its first record leaves it. `definition`: that of the record, which sagas may share. */
export function startedSaga(body: Omit<SagaStarted, 'meta'>, definition: SagaDefinition): RunningSaga {
  return {
    saga_id: body.saga_id,
    case_id: body.case_id,
    definition,
    latencies: Object.fromEntries(body.estimates.map(({ step_name, latency_ms }) => [step_name, latency_ms])),
    deadline_at_ms: body.deadline_at_ms,
    wait_max_ms: body.wait_max_ms ?? 0,
    inputs_json: body.inputs_json,
    by: body.by,
    authority: body.authority,
    definition_digest: body.definition_digest,
    seq: body.undoes.length,
    is_undo: body.undoes.length > 0,
    steps: stepsOfEarlierCalls(body.undoes),
    waits: new Map(),
    blocks: new Map(),
    items: 0,
    tickets: [],
    controls: new Set(),
    paused_until_ms: null,
    is_cancelled: false,
    is_overdue: false,
    turned: null,
    ended: null,
    clock: { holders: new Set(), since_ms: 0, stood_ms: 0 },
  };
}

function started(body: Omit<SagaStarted, 'meta'>): SagaState {
  return isRecorded(body) ? startedSaga(body, JSON.parse(body.definition_json as string) as SagaDefinition) : undefined;
}

function requested(saga: RunningSaga, body: Omit<SagaStepRequested, 'meta'>): void {
  if (runOf(saga, body.call_id)) return;
  const run: Run = {
    step_id: body.step_id,
    attempt: body.attempt,
    level: body.level,
    call_id: body.call_id,
    tool: body.tool,
    version: body.version,
    key: body.key,
    inputs_json: body.inputs_json,
    is_write: body.is_write,
    is_irreversible: body.is_irreversible,
    resources: body.resources,
    compensation_tool: body.compensation_tool,
    deadline_at_ms: body.deadline_at_ms,
    requested_seq: saga.seq,
    is_cancelling: false,
    is_overdue: false,
    stood_ms: saga.clock.stood_ms,
    end: null,
    undo: null,
  };
  const entry = ownEntry(saga, body.step_id);
  entry.mark = null;
  entry.retry_level = null;
  entry.runs.push(run);
}

function stepEnded(saga: RunningSaga, { body }: SagaFact<'saga_step_ended'>): void {
  const { step_id, call_id, status, effect, effect_key, effect_attempt, repaired, level } = body;
  const known = call_id === null ? undefined : runOf(saga, call_id);
  if (known?.end) return;
  const run = known && ownRun(saga, known.call_id);
  if (run)
    run.end = { status, effect: effect ?? 'unknown', seq: saga.seq, effect_key, effect_attempt, is_repaired: repaired, is_late: false };
  else
    Object.assign(ownEntry(saga, step_id), {
      mark: status === 'skipped' ? 'skipped' : 'unprepared',
      mark_seq: saga.seq,
      mark_level: level,
      retry_level: null,
    });
}

function levelSkipped(saga: RunningSaga, { body: { step_id, level, reason } }: SagaFact<'saga_level_skipped'>): void {
  const entry = ownEntry(saga, step_id);
  Object.assign(entry, { retry_level: null, skips: [...entry.skips, { level, reason, seq: saga.seq }] });
}

function evidence(saga: RunningSaga, { body }: SagaFact<'saga_evidence_recorded'>): void {
  const run = body.call_id === null ? undefined : ownRun(saga, body.call_id);
  if (!run?.end) return;
  if (body.direction === 'compensate') {
    if (run.undo) run.undo = { ...run.undo, state: body.happened ? 'executed' : 'failed', seq: saga.seq };
    return;
  }
  saga.tickets = saga.tickets.filter(({ ticket, call_id }) => ticket !== 'in_doubt' || call_id !== run.call_id);
  const was = run.end;
  const status = body.happened ? 'succeeded' : 'failed';
  if (was.effect === 'unknown') run.end = { ...was, status, effect: body.happened ? 'happened' : 'none', seq: saga.seq };
  else if (was.effect === 'none' && body.happened) {
    run.end = { ...was, effect: 'happened', is_late: true };
    voidRetry(saga, run);
  }
}

/** A retry that would take another level is void once the last call took effect after all: both would have an effect. */
function voidRetry(saga: RunningSaga, { step_id, level, call_id }: Run): void {
  const { retry_level, runs } = saga.steps.get(step_id) as StepEntry;
  const is_other = retry_level !== null && retry_level !== level;
  if (is_other && runs.at(-1)?.call_id === call_id) ownEntry(saga, step_id).retry_level = null;
}

function waits(saga: RunningSaga, at: SagaFact<'saga_wait_opened' | 'saga_wait_ended'>): void {
  if (at.event_type === 'saga_wait_opened') {
    const { step_id, wait, until_ms, opened_at_ms } = at.body;
    if (saga.waits.get(step_id)?.end === null) return;
    saga.waits.set(step_id, { wait, until_ms, end: null });
    if (wait !== 'event' && wait !== 'time') holdClock(saga, step_id, opened_at_ms);
    return;
  }
  const { step_id, ended_as, answer_json, ended_at_ms } = at.body;
  const wait = saga.waits.get(step_id);
  if (wait?.end === null) saga.waits.set(step_id, { ...wait, end: { ended_as, seq: saga.seq, answer_json } });
  releaseClock(saga, step_id, ended_at_ms);
}

function entered(saga: RunningSaga, { body: { block_id, items, choice } }: SagaFact<'saga_block_entered'>): void {
  if (saga.blocks.has(block_id)) return;
  saga.blocks.set(block_id, items ?? choice ?? -1);
  saga.items += items ?? 0;
}

/** Facts that a saga can have after its end. */
const AFTER_END: ReadonlySet<SagaFact['event_type']> = new Set(['saga_evidence_recorded', 'saga_ticket_opened', 'saga_controlled']);

/** A fact that repeats an earlier one changes nothing: a writer appends again what it does not know to be on the log. */
function changed(saga: RunningSaga, at: SagaFact): void {
  if (saga.ended !== null && !AFTER_END.has(at.event_type)) return;
  switch (at.event_type) {
    case 'saga_started':
      return;
    case 'saga_step_requested':
      requested(saga, at.body);
      return;
    case 'saga_step_ended':
      stepEnded(saga, at);
      return;
    case 'saga_level_skipped':
      levelSkipped(saga, at);
      return;
    case 'saga_step_cancel_requested': {
      const run = ownRun(saga, at.body.call_id);
      if (run) Object.assign(run, { is_cancelling: true, is_overdue: at.body.reason === STEP_DEADLINE });
      return;
    }
    case 'saga_block_entered':
      entered(saga, at);
      return;
    case 'saga_wait_opened':
    case 'saga_wait_ended':
      waits(saga, at);
      return;
    case 'saga_evidence_recorded':
      evidence(saga, at);
      return;
    case 'compensation_requested':
    case 'compensation_executed':
    case 'compensation_failed':
      foldUndo(saga, at);
      return;
    default:
      foldControl(saga, at);
      return;
  }
}

/**
 * Folds one record. Pure: does not change the given state. Records before `saga_started`, or of a saga without a definition, fold to
 * nothing.
 */
export function evolveSaga(before: SagaState, at: SagaFact): SagaState {
  if (at.event_type === 'saga_started') return before ?? started(at.body);
  if (!before) return undefined;
  const saga = copyOf(before);
  saga.seq++;
  changed(saga, at);
  return saga;
}

/** Folds many records with a single copy of the state. Pure: does not change the given state. */
export function evolveSagaBy(before: SagaState, facts: readonly SagaFact[]): SagaState {
  return facts.length === 0 ? before : folded(before && copyOf(before), facts);
}

/** The state after these records, from the first one on. */
export const replaySaga = (facts: readonly SagaFact[]): SagaState => folded(undefined, facts);

function folded(into: SagaState, facts: readonly SagaFact[]): SagaState {
  let saga = into;
  for (const at of facts) {
    if (at.event_type === 'saga_started') saga ??= started(at.body);
    else if (saga) {
      saga.seq++;
      changed(saga, at);
    }
  }
  return saga;
}
