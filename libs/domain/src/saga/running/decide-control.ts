import type { ControlSaga } from './commands.js';
import { undoScope } from './consequences.js';
import { fact } from './drafts.js';
import type { SagaFact } from './facts.js';
import { progressOf } from './progress.js';
import { pivotOf, type RunningSaga } from './state.js';
import { stuckIn } from './undo-order.js';

function refusalOfPause(saga: RunningSaga, act: 'pause' | 'resume'): string | undefined {
  if (act === 'pause' && saga.paused_until_ms !== null) return 'the saga is paused already: resume it first';
  return act === 'resume' && saga.paused_until_ms === null ? 'the saga is not paused' : undefined;
}

function refusalOfCancel(saga: RunningSaga): string | undefined {
  return saga.turned || saga.is_cancelled ? 'the saga is being cancelled or undone already' : undefined;
}

/** retry, done_by_hand and accept answer a ticket: for a stuck compensation, or for a step that failed after the pivot. */
function refusalOfTicket(saga: RunningSaga, { act, step_id }: ControlSaga): string | undefined {
  const part = progressOf(saga);
  const stuck = stuckIn(undoScope(saga, part)).filter((run) => step_id === null || run.step_id === step_id);
  if (stuck.length > 0) {
    const missing = act === 'retry' && stuck.some((run) => run.compensation_tool === null);
    return missing ? 'a step without a compensation cannot be retried: undo it by hand, then use done_by_hand' : undefined;
  }
  const is_waiting =
    !saga.turned && pivotOf(saga) !== undefined && part.verdict === 'failed' && step_id !== null && part.failed_step_id === step_id;
  if (!is_waiting) return `${act}: no failed compensation and no step that failed after the pivot matches; name the step of an open ticket`;
  const last = saga.steps.get(step_id)?.runs.at(-1);
  if (!saga.steps.has(step_id)) return act === 'retry' ? undefined : `${step_id} is a wait: retry it, or cancel the saga`;
  if (act === 'retry' && last?.end?.effect === 'happened')
    return `${step_id} failed after it took effect: use done_by_hand, accept or cancel`;
  return undefined;
}

/** A person leaves an effect that came late, or undid it by hand: also after the end of the saga. */
const answersLateEffect = (saga: RunningSaga, { act, step_id }: ControlSaga): boolean =>
  (act === 'accept' || act === 'done_by_hand') && saga.tickets.some((open) => open.ticket === 'late_effect' && open.step_id === step_id);

function refusal(saga: RunningSaga, command: ControlSaga): string | undefined {
  const { act } = command;
  if (answersLateEffect(saga, command)) return undefined;
  if (saga.ended) return `the saga has ended as ${saga.ended}`;
  if (act === 'pause' || act === 'resume') return refusalOfPause(saga, act);
  return act === 'cancel' ? refusalOfCancel(saga) : refusalOfTicket(saga, command);
}

/** Records an action of a person; a repeated command counts once. */
export function control(saga: RunningSaga, command: ControlSaga, now_ms: number): SagaFact[] | string {
  if (saga.controls.has(command.command_id)) return [];
  const { act, step_id, reason, by, command_id, source } = command;
  const why = refusal(saga, command);
  return why ?? [fact(saga, 'saga_controlled', { act, step_id, reason, by, command_id, source, controlled_at_ms: now_ms })];
}
