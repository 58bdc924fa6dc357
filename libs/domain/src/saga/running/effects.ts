import { startsNothing } from './decide-step.js';
import { undosDue } from './decide-undo.js';
import { momentsOf } from './decide-wait.js';
import { stepKeyText, undoKeyText } from './keys.js';
import { progressOf } from './progress.js';
import { inDoubt, isLive, isStuck, pivotOf, type Run, type RunningSaga, runsOf, type Ticket } from './state.js';

/** An action that a process must do for a saga. All are derived from the state, so that a restart repeats them; each may run twice. */
export type SagaEffect =
  /** Evaluate the conditions. Answered by `branch_chosen`. */
  | { kind: 'choose_branch'; block_id: string; name: string }
  /** Evaluate the list. Answered by `list_read`. */
  | { kind: 'read_list'; block_id: string; name: string }
  /** Evaluate condition and inputs. Answered by `step_prepared`, `level_skipped`, `step_skipped` or `step_unprepared`. */
  | { kind: 'prepare'; step_id: string; name: string; level: number; key_text: string }
  /** Submit the recorded call, or find it, and follow it. Answered by `step_ended`. */
  | { kind: 'call'; run: Run }
  | { kind: 'cancel_call'; call_id: string }
  /** A call, or the undo of one, is in doubt: follow it. Answered by `evidence`. */
  | { kind: 'follow'; run: Run; call_id: string; direction: 'forward' | 'compensate' }
  /** Assemble the inputs of the undo. Answered by `undo_prepared` (or a failed `undo_ended` without a call). */
  | { kind: 'prepare_undo'; run: Run; key_text: string }
  /** Submit the recorded undo and follow it. Answered by `undo_ended`. */
  | { kind: 'call_undo'; run: Run }
  /** Ask the person, or subscribe to the event. Answered by `wait_answered`. */
  | { kind: 'await'; step_id: string; wait: 'approval' | 'manual' | 'event' }
  /** Set the timer. Answered by `timer` at this time. */
  | { kind: 'timer'; at_ms: number }
  | { kind: 'ticket'; ticket: Ticket };

function starts(saga: RunningSaga): SagaEffect[] {
  if (startsNothing(saga)) return [];
  if (saga.is_overdue && !pivotOf(saga)) return [];
  return progressOf(saga).due.flatMap(({ kind, id, name, level = 0 }): SagaEffect[] => {
    if (kind === 'choose') return [{ kind: 'choose_branch', block_id: id, name }];
    if (kind === 'list') return [{ kind: 'read_list', block_id: id, name }];
    return kind === 'step' ? [{ kind: 'prepare', step_id: id, name, level, key_text: stepKeyText(saga.saga_id, id, level) }] : [];
  });
}

function calls(saga: RunningSaga): SagaEffect[] {
  return runsOf(saga).flatMap((run): SagaEffect[] => {
    if (isLive(run))
      return run.is_cancelling
        ? [
            { kind: 'call', run },
            { kind: 'cancel_call', call_id: run.call_id },
          ]
        : [{ kind: 'call', run }];
    if (inDoubt(run)) return [{ kind: 'follow', run, call_id: run.call_id, direction: 'forward' }];
    const { state, call_id = null } = run.undo ?? {};
    if (state === 'unconfirmed' && call_id !== null) return [{ kind: 'follow', run, call_id, direction: 'compensate' }];
    return state === 'requested' ? [{ kind: 'call_undo', run }] : [];
  });
}

function undos(saga: RunningSaga): SagaEffect[] {
  return undosDue(saga).map((run) => {
    const { effect_key, effect_attempt } = run.end ?? { effect_key: null, effect_attempt: 0 };
    return { kind: 'prepare_undo', run, key_text: undoKeyText({ effect_key: effect_key ?? run.key, effect_attempt }) };
  });
}

function waits(saga: RunningSaga): SagaEffect[] {
  return [...saga.waits].flatMap(([step_id, { wait, end }]): SagaEffect[] =>
    end !== null || wait === 'time' || wait === 'call_approval' ? [] : [{ kind: 'await', step_id, wait }],
  );
}

/** A state never changes once it was returned, so its effects are computed once. */
const known = new WeakMap<RunningSaga, readonly SagaEffect[]>();

export function sagaEffectsOf(saga: RunningSaga): readonly SagaEffect[] {
  const found = known.get(saga) ?? effectsOf(saga);
  known.set(saga, found);
  return found;
}

function effectsOf(saga: RunningSaga): SagaEffect[] {
  const tickets = saga.tickets.map((ticket): SagaEffect => ({ kind: 'ticket', ticket }));
  if (saga.ended) return tickets;
  const moments = momentsOf(saga);
  const timers: SagaEffect[] = moments.length === 0 ? [] : [{ kind: 'timer', at_ms: Math.min(...moments) }];
  return [...starts(saga), ...calls(saga), ...undos(saga), ...waits(saga), ...timers, ...tickets];
}

export type SagaStatus = 'pending' | 'running' | 'awaiting_approval' | 'compensating' | NonNullable<RunningSaga['ended']>;

/** compensation_failed before the end: only stuck compensations are left, and a person must act. */
export function sagaStatusOf(saga: RunningSaga): SagaStatus {
  if (saga.ended) return saga.ended;
  if (saga.turned || saga.is_undo) {
    const left = sagaEffectsOf(saga).some(
      (effect) =>
        effect.kind === 'prepare_undo' || effect.kind === 'call_undo' || (effect.kind === 'follow' && effect.direction === 'forward'),
    );
    return !left && runsOf(saga).some(isStuck) ? 'compensation_failed' : 'compensating';
  }
  const asks = [...saga.waits.values()].some(({ wait, end }) => end === null && wait !== 'event' && wait !== 'time');
  if (asks) return 'awaiting_approval';
  return saga.seq === 0 ? 'pending' : 'running';
}
