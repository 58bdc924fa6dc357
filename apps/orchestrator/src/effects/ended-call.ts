import { type CallState, statusOf } from '@countersign/domain';
import type { SagaOrder } from '../sagas/saga-work.js';

export type EndStep = Extract<SagaOrder, { kind: 'step_ended' }>;
type EndUndo = Extract<SagaOrder, { kind: 'undo_ended' }>;

const errorOf = ({ end, doubt, ruling }: CallState) => (end ?? doubt)?.outcome.error ?? ruling?.reason ?? null;

/** An effect that a person undid after the call is still the effect of the step. */
function stepStatus(state: CallState): EndStep['status'] {
  const status = statusOf(state);
  return status === 'compensated' || status === 'compensation_failed' ? 'succeeded' : (status as EndStep['status']);
}

export function endedStep(state: CallState): EndStep {
  const { call_id, call, end, attempt } = state;
  const status = stepStatus(state);
  const effect = status === 'in_doubt' ? 'unknown' : (end?.outcome.effect ?? 'none');
  return {
    kind: 'step_ended',
    ...{ call_id, status, effect, error: errorOf(state) },
    effect_key: call?.idempotency_key ?? '',
    effect_attempt: Math.max(1, attempt),
    is_repaired: false,
  };
}

/** True if the tool of an undo could not tell afterwards whether the effect still stands. */
export const isUnverified = ({ end }: CallState): boolean => end?.outcome.extras?.verified === false;

function undoResult(state: CallState): EndUndo['result'] {
  const status = statusOf(state);
  if (status === 'in_doubt') return 'unconfirmed';
  if (status !== 'succeeded') return 'failed';
  return isUnverified(state) ? 'unconfirmed' : 'executed';
}

export function endedUndo(of_call_id: string, state: CallState): SagaOrder {
  const { duration_ms = 0, retry_count = 0 } = state.end?.outcome ?? {};
  const result = undoResult(state);
  const error = result === 'executed' ? null : errorOf(state);
  return { kind: 'undo_ended', of_call_id, call_id: state.call_id, result, error, duration_ms: Math.round(duration_ms), retry_count };
}
