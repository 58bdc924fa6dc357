import type { SagaFact } from '../../saga/running/facts.js';
import { stepKeyText } from '../../saga/running/keys.js';
import {
  isAsking,
  isStuck,
  isUndone,
  pivotOf,
  type Run,
  type RunningSaga,
  runOf,
  runsOf,
  type SagaState,
  stands,
} from '../../saga/running/state.js';
import { undoRequested } from '../../saga/running/undo-order.js';
import type { Arbiter } from './arbiter.js';

const shares = (a: Run, b: Run): boolean =>
  a.resources.length === 0 || b.resources.length === 0 || a.resources.some((resource) => b.resources.includes(resource));

/** Checks a compensation before it is sent: of a known effect, newer than the pivot, and the newest on its resources. */
function undoRules(before: RunningSaga, run: Run): string[] {
  const broken: string[] = [];
  const seq = run.end?.seq ?? 0;
  const pivot = pivotOf(before);
  const [pivot_seq, run_seq] = [pivot?.end?.seq ?? -1, Math.max(seq, run.requested_seq)];
  if (run.end?.effect !== 'happened' || run.is_irreversible) broken.push(`S3: ${run.call_id} is undone and did not take effect`);
  if (before.turned && run.undo === null && run_seq <= pivot_seq)
    broken.push(`S4: ${run.step_id} is undone beyond the pivot ${pivot?.step_id}`);
  if (!before.turned) return broken;
  // What took effect before the pivot stays, unless its own compensation began before.
  const isUndoneToo = (other: Run) => other.undo !== null || Math.max(other.end?.seq ?? 0, other.requested_seq) > pivot_seq;
  const left = runsOf(before).filter((other) => stands(other) && !isStuck(other) && isUndoneToo(other));
  const newer = left.filter((other) => (other.end?.seq ?? 0) > seq && shares(other, run));
  if (newer.length > 0) broken.push(`S5: ${run.step_id} is undone before ${newer.map(({ step_id }) => step_id)}`);
  const doubts = runsOf(before).filter((other) => other.end?.effect === 'unknown' && other.requested_seq > seq);
  if (doubts.length > 0) broken.push(`S6: ${run.step_id} is undone before the doubt about ${doubts.map(({ step_id }) => step_id)}`);
  return broken;
}

const mayBePivot = (run: Run): boolean => run.is_irreversible && run.end?.effect === 'unknown';

/** No level is skipped while a call of its step is open or in doubt, or after the saga turned. */
function skipRules(before: RunningSaga, step_id: string): string[] {
  const open = (before.steps.get(step_id)?.runs ?? []).some((run) => run.end === null || run.end.effect === 'unknown');
  return open || before.turned ? [`S18: a level of ${step_id} is skipped while a call is open or in doubt, or after the turn`] : [];
}

/** Each level before this one was called or is recorded as skipped. */
function passedRules(before: RunningSaga, { step_id, level }: { step_id: string; level: number }): string[] {
  const { runs = [], skips = [] } = before.steps.get(step_id) ?? {};
  const passed = new Set([...runs, ...skips].map((each) => each.level));
  const missing = Array.from({ length: level }, (_, at) => at).filter((at) => !passed.has(at));
  return missing.length > 0 ? [`S19: ${step_id} is at level ${level}, and nothing is recorded of level ${missing[0]}`] : [];
}

/** Checks the invariants of each new record. */
export function brokenBy(before: SagaState, { event_type, body }: SagaFact): string[] {
  if (!before) return [];
  if (before.ended && event_type !== 'saga_evidence_recorded' && event_type !== 'saga_ticket_opened')
    return [`S1: ${event_type} after the end`];
  if (event_type === 'saga_level_skipped') return [...skipRules(before, body.step_id), ...passedRules(before, body)];
  if (event_type === 'saga_step_requested') {
    const runs = before.steps.get(body.step_id)?.runs ?? [];
    const last = runs.at(-1);
    const is_decided = last?.end && !(last.end.status === 'failed' && last.end.effect === 'none');
    const open = runs.filter((run) => run.end === null || run.end.effect === 'unknown');
    return [
      ...(before.turned ? [`S7: ${body.step_id} starts after the saga turned`] : []),
      ...passedRules(before, body),
      ...(is_decided && last.level !== body.level ? [`S20: ${body.step_id} goes around a ${last.end?.status} call`] : []),
      ...(open.length > 0 ? [`S8: ${body.step_id} starts again while ${open[0]?.call_id} is open or in doubt`] : []),
    ];
  }
  if (event_type === 'saga_compensation_started' && body.cause !== 'cancelled' && runsOf(before).some(mayBePivot))
    return ['S21: the saga turns while an irreversible step is in doubt'];
  if (event_type === 'compensation_requested' && before.is_undo && undoRequested(runsOf(before)).some((run) => !isAsking(before, run)))
    return [`S22: ${body.step_id} is undone beside another one`];
  if (event_type === 'compensation_requested') return undoRules(before, runOf(before, body.of_call_id) as Run);
  return [];
}

/** Checks the invariants of an ended saga. */
export function brokenAtEnd(saga: RunningSaga, arbiter: Arbiter): string[] {
  const broken = [...arbiter.broken];
  for (const [key, times] of arbiter.fired) if (times > 1) broken.push(`S9: key ${key} took effect ${times} times`);
  const pivot = pivotOf(saga);
  for (const run of runsOf(saga)) {
    if (run.end === null || (run.end.effect === 'unknown' && run.is_write)) broken.push(`S10: ${run.call_id} is still open`);
    const call = arbiter.calls.get(run.call_id);
    if (run.is_write && call?.truth && !call.is_misreported && run.end?.effect === 'none')
      broken.push(`S16: the effect of ${run.call_id} is lost`);
    if (run.is_write && !saga.is_undo && run.key !== stepKeyText(saga.saga_id, run.step_id, run.level))
      broken.push(`S17: ${run.call_id} has the key ${run.key}`);
    const was_late_for_pivot = (run.end?.seq ?? 0) <= (pivot?.end?.seq ?? -1);
    if (saga.turned && stands(run) && !was_late_for_pivot) broken.push(`S11: ${run.step_id} stands after the saga turned`);
    if (isUndone(run) && run.undo?.state === 'executed' && !arbiter.fired.has(run.undo.key as string))
      broken.push(`S12: ${run.step_id} is reported as undone`);
  }
  return broken;
}
