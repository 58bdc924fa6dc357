import type { Tone } from '../elements/status.js';
import { hasEnded, type SagaWithSteps, type Step, stepName, type Wait } from './saga.js';

/** What a step or a wait is doing, in words. */
export interface StepState {
  word: string;
  tone: Tone;
}

const UNDOES: Readonly<Record<NonNullable<Step['compensation']>['status'], StepState>> = {
  requested: { word: 'Being undone', tone: 'busy' },
  executed: { word: 'Undone', tone: 'neutral' },
  failed: { word: 'Undo failed', tone: 'bad' },
  unconfirmed: { word: 'Undo in doubt', tone: 'bad' },
  missing: { word: 'Cannot be undone', tone: 'bad' },
  retry_requested: { word: 'Being undone', tone: 'busy' },
  done_by_hand: { word: 'Undone by hand', tone: 'neutral' },
  accepted: { word: 'Left as it is', tone: 'neutral' },
};

const CALLS: Readonly<Record<string, StepState>> = {
  succeeded: { word: 'Succeeded', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  denied: { word: 'Denied', tone: 'bad' },
  in_doubt: { word: 'In doubt', tone: 'bad' },
  skipped: { word: 'Skipped', tone: 'neutral' },
  expired: { word: 'Expired', tone: 'neutral' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
};

const WAIT_ENDS: Readonly<Record<string, StepState>> = {
  answered: { word: 'Answered', tone: 'good' },
  refused: { word: 'Refused', tone: 'bad' },
  expired: { word: 'Expired', tone: 'neutral' },
  withdrawn: { word: 'Withdrawn', tone: 'neutral' },
};

const OPEN_WAITS: Readonly<Record<Wait['wait'], StepState>> = {
  approval: { word: 'Waits for approval', tone: 'warn' },
  call_approval: { word: 'Waits for approval', tone: 'warn' },
  manual: { word: 'Waits for a person', tone: 'warn' },
  event: { word: 'Waits for an event', tone: 'busy' },
  time: { word: 'Waits for a time', tone: 'busy' },
};

const known = (states: Readonly<Record<string, StepState>>, status: string): StepState =>
  (Object.hasOwn(states, status) ? states[status] : undefined) ?? { word: status.replaceAll('_', ' '), tone: 'neutral' };

/** The state of a compensation, for its own column. */
export const undoState = ({ status }: NonNullable<Step['compensation']>): StepState => known(UNDOES, status);

/** The state of one call of a step. */
export function callState({ status, compensation, cancel_requested }: Step): StepState {
  if (compensation) return undoState(compensation);
  if (status !== null) return known(CALLS, status);
  return { word: cancel_requested ? 'Being stopped' : 'Running', tone: 'busy' };
}

export const waitState = ({ wait, ended_as }: Wait): StepState =>
  ended_as === null ? known(OPEN_WAITS, wait) : known(WAIT_ENDS, ended_as);

/** What draws attention first. */
const RANKS: readonly Tone[] = ['bad', 'warn', 'busy', 'good', 'neutral'];

/** States of all items of a map as one: how many there are of each, and the tone of the most urgent one. */
function combined(states: readonly StepState[]): StepState {
  const counts = new Map<string, number>();
  for (const { word } of states) counts.set(word, (counts.get(word) ?? 0) + 1);
  if (counts.size === 1 && states.length === 1) return states[0] as StepState;
  const tone = RANKS.find((rank) => states.some((state) => state.tone === rank)) ?? 'neutral';
  return { word: [...counts].map(([word, count]) => `${count} ${word.toLowerCase()}`).join(', '), tone };
}

/** The state of each step and wait of the definition that has begun, by name. */
export function stepStates({ steps, waits }: Pick<SagaWithSteps, 'steps' | 'waits'>): ReadonlyMap<string, StepState> {
  const instances = new Map<string, StepState>();
  for (const wait of waits) instances.set(wait.step_id, waitState(wait));
  const undone = new Set<string>();
  for (const step of steps) {
    if (undone.has(step.step_id)) continue;
    if (step.compensation) undone.add(step.step_id);
    instances.set(step.step_id, callState(step));
  }
  // an open wait is what holds a step, whatever its last call did
  for (const wait of waits) if (wait.ended_as === null) instances.set(wait.step_id, waitState(wait));
  const names = new Map<string, StepState[]>();
  for (const [step_id, state] of instances) names.set(stepName(step_id), [...(names.get(stepName(step_id)) ?? []), state]);
  return new Map([...names].map(([name, states]) => [name, combined(states)]));
}

/** The state of what has not begun. */
export const restState = (saga: Pick<SagaWithSteps, 'status' | 'ended_at'>): StepState => ({
  word: hasEnded(saga) ? 'Not run' : 'Not started',
  tone: 'neutral',
});
