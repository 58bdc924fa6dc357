import { type CallState, statusOf } from '@countersign/domain';
import type { SagaStepWrite } from '@countersign/store';
import { parsed } from '../sagas/saga-summary.js';
import type { UndoneItem } from './undo.schemas.js';

/** A call that no undo was requested for. */
export const notUndone = (call_id: string, reason: string | null, detail: string | null): UndoneItem => ({
  call_id,
  undo_call_id: null,
  status: null,
  undone: false,
  confirmed: null,
  reason,
  detail,
});

/** What became of the call that undoes another one. */
export function undoneBy(call_id: string, state: CallState): UndoneItem {
  const status = statusOf(state);
  const { error = null, extras = null } = state.end?.outcome ?? {};
  const why = error ?? state.ruling?.reason ?? null;
  const undone = status === 'succeeded';
  return {
    call_id,
    undo_call_id: state.call_id,
    status,
    undone,
    confirmed: undone ? (extras?.verified ?? null) : null,
    reason: undone ? null : status === 'pending_approval' ? 'waits_for_approval' : (why?.code.toLowerCase() ?? status),
    detail: undone ? null : (why?.message ?? null),
  };
}

const WAITING = 'a newer effect on the same resources is not undone yet: this one follows by itself';

/** What became of a step of a saga that undoes earlier calls. `undo`: the call that undoes it, as far as the views show it. */
export function undoneStep(step: SagaStepWrite, undo: CallState | undefined): UndoneItem {
  const { call_id, undo_state, undo_call_id } = step;
  const item = undo ? undoneBy(call_id as string, undo) : { ...notUndone(call_id as string, null, null), undo_call_id };
  switch (undo_state) {
    case null:
      return { ...item, reason: 'newer_effect_stands', detail: WAITING };
    case 'executed':
      return { ...item, undone: true, reason: null, detail: null };
    case 'by_hand':
      return { ...item, undone: true, reason: 'done_by_hand' };
    case 'requested':
    case 'again':
      return { ...item, undone: false, reason: item.reason ?? 'undo_requested' };
    default:
      return item.undone ? item : { ...item, ...refusalOf(step, item) };
  }
}

/** Without a call the saga has the reason. */
function refusalOf({ undo_error }: SagaStepWrite, { reason, detail }: UndoneItem): Pick<UndoneItem, 'reason' | 'detail'> {
  const error = parsed(undo_error) as { code: string; message: string } | null;
  return { reason: reason ?? error?.code.toLowerCase() ?? 'undo_failed', detail: detail ?? error?.message ?? null };
}
