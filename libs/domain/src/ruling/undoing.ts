import type { AnyEvent, ToolCall } from '@countersign/contracts';
import type { RulingState } from './state.js';

/** An effect and the call that undoes it. */
interface Undo {
  key: string;
  call_id: string;
}

/** Far more than the number of undos that end while their requests may still be repeated. */
const ENDED_MAX = 1000;

function begin(state: RulingState, { key, call_id }: Undo): void {
  if (state.ended_undos.has(call_id)) return;
  state.undoing.set(key, new Set([...(state.undoing.get(key) ?? []), call_id]));
}

function rememberEnded(ended: Set<string>, call_id: string): void {
  ended.add(call_id);
  const [oldest] = ended;
  if (ended.size > ENDED_MAX && oldest !== undefined) ended.delete(oldest);
}

function end(state: RulingState, call_id: string): void {
  for (const [key, calls] of state.undoing) {
    if (!calls.has(call_id)) continue;
    rememberEnded(state.ended_undos, call_id);
    const left = new Set([...calls].filter((other) => other !== call_id));
    if (left.size > 0) state.undoing.set(key, left);
    else state.undoing.delete(key);
  }
}

/** True if the effect with the key of this call is being undone. False for undos. */
export const isBeingUndone = (state: RulingState, call: Pick<ToolCall, 'idempotency_key' | 'compensates'>): boolean =>
  state.undoing.size > 0 && !call.compensates && state.undoing.has(call.idempotency_key);

/**
 * Folds the effects that are being undone: from the ruling on an undo to its end. An undo in doubt has no end, so its effect stays blocked
 * until the doubt is resolved.
 */
export function evolveUndoing(state: RulingState, published: AnyEvent): void {
  if (published.event_type === 'policy_decided') {
    const { call, effect, meta } = published.event;
    const { compensates } = call;
    if (!compensates) return;
    const undo = { key: compensates.idempotency_key, call_id: meta.call_id as string };
    if (effect === 'deny') end(state, undo.call_id);
    else begin(state, undo);
    return;
  }
  if (state.undoing.size === 0) return;
  switch (published.event_type) {
    case 'call_cancelled':
      if (published.event.final) end(state, published.event.meta.call_id as string);
      return;
    case 'approval_denied':
    case 'approval_expired':
    case 'tool_executed':
    case 'tool_retry_deduplicated':
    case 'tool_call_resolved':
      end(state, published.event.meta.call_id as string);
      return;
    default:
  }
}
