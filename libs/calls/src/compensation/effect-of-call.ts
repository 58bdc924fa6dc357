import type { CompensatedEffect, CompensationKind } from '@countersign/contracts';
import { isReadOnly } from '@countersign/contracts';
import { type CallState, lateEffectOf, statusOf } from '@countersign/domain';
import { Refusal } from '../refusal.js';

/** The effect of a call, as the input of an undo. */
export interface EffectToUndo {
  state: CallState;
  effect: CompensatedEffect;
}

/** The effect of a recorded call, or why it cannot be undone. */
export function effectOfCall(state: CallState, kind: CompensationKind): EffectToUndo | Refusal {
  const { call, call_id, end, attempt } = state;
  const status = statusOf(state);
  if (status === 'compensated')
    return new Refusal('conflict', 'the effect of the call is already undone', { reason: 'call_already_undone' });
  if (status === 'in_doubt')
    return new Refusal('conflict', 'the outcome of the call is unknown: use /resolve first', { reason: 'call_in_doubt' });
  const late = lateEffectOf(state);
  if (!call || !end) return new Refusal('conflict', 'the call has not ended', { reason: 'call_not_ended' });
  if (isReadOnly(call.effect_class) || (end.outcome.effect === 'none' && !late))
    return new Refusal('conflict', 'the call changed nothing, so there is nothing to undo', { reason: 'call_had_no_effect' });
  if (end.original_call_id !== null)
    return new Refusal('conflict', 'an earlier call answered this one: undo the earlier call', {
      reason: 'effect_of_another_call',
      original_call_id: end.original_call_id,
    });
  if (end.outcome.effect === 'unknown') return new Refusal('conflict', 'the outcome of the call is unknown', { reason: 'call_in_doubt' });
  if (call.compensates) return new Refusal('not-undoable', 'an undo cannot be undone: make the call again', { reason: 'undo_of_undo' });
  const { idempotency_key } = call;
  return {
    state,
    effect: { call_id, idempotency_key, attempt: Math.max(1, attempt), kind, also: null, late_offset: late?.position.offset ?? null },
  };
}
