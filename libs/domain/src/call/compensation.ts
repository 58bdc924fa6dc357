import type { CompensatedEffect, EventMap, Outcome } from '@countersign/contracts';
import type { PlacedEvent } from './evolve.js';
import type { CallState } from './state.js';

/** What an end says of the effect that its call was to undo. */
export interface Compensation {
  effect: CompensatedEffect;
  /** Compensated: the effect is undone, and its key is free. */
  outcome: 'compensated' | 'compensation_failed';
}

/** What this end of a compensation means for the effect; undefined: nothing (yet). */
export function compensationOf(
  compensates: CompensatedEffect | null | undefined,
  { status }: Pick<Outcome, 'status'>,
): Compensation | undefined {
  if (!compensates) return undefined;
  if (status === 'succeeded') return { effect: compensates, outcome: 'compensated' };
  return status === 'failed' ? { effect: compensates, outcome: 'compensation_failed' } : undefined;
}

/** What a record says of the effect that its call was to undo. */
export function compensationIn(at: PlacedEvent): Compensation | undefined {
  if (at.event_type !== 'tool_executed' && at.event_type !== 'tool_call_resolved') return undefined;
  return compensationOf(at.event.compensates, at.event.outcome);
}

/**
 * Folds an end of a compensation into the call whose effect it undid: undone stays undone, and of failures the newest counts. The same call
 * as before where the record says nothing of it.
 */
export function evolveCompensated(before: CallState, at: PlacedEvent): CallState {
  const undo = compensationIn(at);
  const known = before.compensation;
  if (!undo || undo.effect.call_id !== before.call_id || at.event.meta.tenant_id !== before.tenant_id) return before;
  if (known && (known.outcome === 'compensated' || known.offset >= at.offset)) return before;
  const { outcome } = at.event as EventMap['tool_executed'];
  const { call_id, hlc, event_id } = at.event.meta;
  const fact = { outcome: undo.outcome, confirmed: outcome.extras?.verified ?? null, at_ms: at.timestamp_ms, offset: at.offset };
  return { ...before, compensation: { call_id: call_id as string, hlc, event_id, ...fact } };
}
