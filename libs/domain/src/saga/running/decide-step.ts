import type { CallError } from '@countersign/contracts';
import { REPAIRS_MAX } from '../../repair/next-repair.js';
import type { StepBlock } from '../definition/definition.js';
import { stepDeadline } from '../definition/latency.js';
import { blockNamed } from '../definition/places.js';
import type { EndStep, PrepareStep, SagaCommand, SkipLevel } from './commands.js';
import { endWait, fact } from './drafts.js';
import type { SagaFact } from './facts.js';
import { skippedLevel } from './level-skip.js';
import { dueOf, progressOf } from './progress.js';
import { deadlineOf, type Run, type RunningSaga, runOf } from './state.js';

type Of<K extends SagaCommand['kind']> = Extract<SagaCommand, { kind: K }>;

/** True if the saga starts nothing new: it has ended, compensates, is paused or is cancelled. */
export const startsNothing = (saga: RunningSaga): boolean =>
  saga.ended !== null || saga.turned !== null || saga.paused_until_ms !== null || saga.is_cancelled;

function dueStep(saga: RunningSaga, step_id: string) {
  return startsNothing(saga) ? undefined : dueOf(progressOf(saga), 'step', step_id);
}

/** Requests a due step. A retry keeps the key and inputs of the previous run on its level, even if they were evaluated again. */
export function prepareStep(saga: RunningSaga, command: PrepareStep, now_ms: number): SagaFact[] {
  const due = dueStep(saga, command.step_id);
  if (due?.level !== command.level || runOf(saga, command.call_id)) return [];
  const runs = saga.steps.get(command.step_id)?.runs ?? [];
  const before = runs.findLast((run) => run.level === command.level && !run.end?.is_repaired);
  const { key, inputs_json, tool, version } = before ?? command;
  return [
    fact(saga, 'saga_step_requested', {
      step_id: command.step_id,
      iteration: 1,
      attempt: runs.length + 1,
      level: command.level,
      call_id: command.call_id,
      tool,
      version,
      key,
      inputs_json,
      is_write: command.is_write,
      is_irreversible: command.is_irreversible,
      resources: [...command.resources],
      compensation_tool: command.compensation_tool,
      deadline_at_ms: deadlineOfStep(saga, due.name, command, now_ms),
      latency_ms: command.latency_ms,
      repairs: [...command.repairs],
      requested_at_ms: now_ms,
    }),
  ];
}

/** The share of a step in the time that is left; null if nothing limits it. */
function deadlineOfStep(saga: RunningSaga, name: string, { level, latency_ms }: PrepareStep, now_ms: number): number | null {
  const deadline_ms = deadlineOf(saga);
  if (deadline_ms === null || saga.is_overdue) return null;
  const step = blockNamed(saga.definition, name) as StepBlock;
  const latencies = { ...saga.latencies, [name]: latency_ms };
  return stepDeadline(saga.definition.root, { step, level }, latencies, { now_ms, deadline_ms });
}

const NO_EFFECT = { effect: 'none', effect_key: null, effect_attempt: 0 } as const;

function endedWithoutCall(saga: RunningSaga, command: Of<'step_skipped'> | Of<'step_unprepared'>, now_ms: number): SagaFact[] {
  const due = dueStep(saga, command.step_id);
  if (!due) return [];
  const { step_id, tool } = command;
  const how =
    command.kind === 'step_skipped' ? ({ status: 'skipped', error: null } as const) : ({ status: 'failed', error: command.error } as const);
  const attempt = (saga.steps.get(step_id)?.runs.length ?? 0) + 1;
  const which = { step_id, iteration: 1, attempt, call_id: null, tool, level: due.level ?? 0 };
  return [fact(saga, 'saga_step_ended', { ...which, ...how, ...NO_EFFECT, repaired: false, ended_at_ms: now_ms })];
}

/** The condition is read before the first call: at level 0, or later if all levels before were skipped. */
export function skipStep(saga: RunningSaga, command: Of<'step_skipped'>, now_ms: number): SagaFact[] {
  const is_first = dueStep(saga, command.step_id)?.level === 0 || (saga.steps.get(command.step_id)?.runs ?? []).length === 0;
  return is_first ? endedWithoutCall(saga, command, now_ms) : [];
}

/** A level that is not due is not skipped: so none is while a call of the step is open or in doubt. */
export const skipLevel = (saga: RunningSaga, command: SkipLevel, now_ms: number): SagaFact[] =>
  dueStep(saga, command.step_id)?.level === command.level ? [skippedLevel(saga, command, now_ms)] : [];

export const unpreparedStep = (saga: RunningSaga, command: Of<'step_unprepared'>, now_ms: number): SagaFact[] =>
  endedWithoutCall(saga, command, now_ms);

export function chooseBranch(saga: RunningSaga, { block_id, choice }: Of<'branch_chosen'>, now_ms: number): SagaFact[] {
  if (startsNothing(saga) || !dueOf(progressOf(saga), 'choose', block_id)) return [];
  return [fact(saga, 'saga_block_entered', { block_id, choice, items: null, entered_at_ms: now_ms })];
}

/** Fails a block whose condition or list cannot be used, like a step without a call. */
export function failBlock(saga: RunningSaga, { block_id, error }: Of<'block_failed'>, now_ms: number): SagaFact[] {
  const part = progressOf(saga);
  if (startsNothing(saga) || !(dueOf(part, 'choose', block_id) ?? dueOf(part, 'list', block_id))) return [];
  const which = { step_id: block_id, iteration: 1, attempt: 1, call_id: null, tool: '', level: 0 };
  return [fact(saga, 'saga_step_ended', { ...which, status: 'failed', error, ...NO_EFFECT, repaired: false, ended_at_ms: now_ms })];
}

/** Items of all lists of a saga, also of lists within lists: each decision looks at all of them. */
export const ITEMS_MAX = 1_000;

function tooLong(items: number): CallError {
  const message = `the lists of the saga have ${items} items together, at most ${ITEMS_MAX} are allowed: start a saga for each part`;
  return { code: 'VALIDATION_ERROR', class: 'validation', message, details_json: null, retryable: false, retry_after_s: null };
}

export function readList(saga: RunningSaga, { block_id, items }: Of<'list_read'>, now_ms: number): SagaFact[] {
  if (startsNothing(saga) || !dueOf(progressOf(saga), 'list', block_id)) return [];
  const all = saga.items + items;
  if (all > ITEMS_MAX) return failBlock(saga, { kind: 'block_failed', now_ms, block_id, error: tooLong(all) }, now_ms);
  return [fact(saga, 'saga_block_entered', { block_id, choice: null, items, entered_at_ms: now_ms })];
}

/** A call that was cancelled because its time was over has failed: the next level may run. */
const isTimeout = (run: Run, { status }: Pick<EndStep, 'status'>): boolean => run.is_overdue && status === 'cancelled';

function timedOut({ step_id }: Run): CallError {
  const message = `step ${step_id} did not end within its share of the time of the saga`;
  return { code: 'TIMEOUT', class: 'transient', message, details_json: null, retryable: true, retry_after_s: null };
}

/** Only a read that is the last call of its step is repaired, a bounded number of times. */
function isRepaired(saga: RunningSaga, run: Run, { is_repaired, status }: EndStep): boolean {
  if (!is_repaired || run.is_write || run.is_cancelling || (status !== 'failed' && status !== 'succeeded')) return false;
  const before = saga.steps.get(run.step_id)?.runs.filter(({ end, level }) => end?.is_repaired && level === run.level) ?? [];
  return before.length < REPAIRS_MAX;
}

/** A read has no effect, so its outcome is never in doubt. */
export function endOf(run: Run, given: Pick<EndStep, 'status' | 'effect'>): Pick<EndStep, 'status' | 'effect'> {
  const { effect } = given;
  const status = isTimeout(run, given) ? 'failed' : given.status;
  if (!run.is_write) return { status: status === 'in_doubt' ? 'failed' : status, effect: 'none' };
  if (status === 'in_doubt') return { status, effect: 'unknown' };
  return { status, effect };
}

export function endStep(saga: RunningSaga, command: EndStep, now_ms: number): SagaFact[] {
  const run = runOf(saga, command.call_id);
  if (!run || run.end !== null) return [];
  const { status, effect } = endOf(run, command);
  const ended = fact(saga, 'saga_step_ended', {
    step_id: run.step_id,
    iteration: 1,
    attempt: run.attempt,
    call_id: run.call_id,
    tool: run.tool,
    level: run.level,
    status,
    effect,
    error: isTimeout(run, command) ? timedOut(run) : command.error,
    effect_key: command.effect_key,
    effect_attempt: command.effect_attempt,
    repaired: isRepaired(saga, run, command),
    ended_at_ms: now_ms,
  });
  const wait = saga.waits.get(run.step_id);
  return wait?.wait === 'call_approval' && wait.end === null ? [endWait(saga, run.step_id, 'answered', now_ms), ended] : [ended];
}
