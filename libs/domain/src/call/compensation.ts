import type { CompensatedEffect, EventMap, Outcome } from '@countersign/contracts';
import type { PlacedEvent } from './evolve.js';
import type { CallState } from './state.js';

/** The effect of an end on the call that it was to undo. */
export interface Compensation {
  effect: CompensatedEffect;
  /** Compensated: the effect is undone, and its key is free. */
  outcome: 'compensated' | 'compensation_failed';
}

/** The meaning of this end of an undo for the effect; undefined: it changes nothing (yet). */
export function compensationOf(
  compensates: CompensatedEffect | null | undefined,
  { status }: Pick<Outcome, 'status'>,
): Compensation | undefined {
  if (!compensates) return undefined;
  if (status === 'succeeded') return { effect: compensates, outcome: 'compensated' };
  return status === 'failed' ? { effect: compensates, outcome: 'compensation_failed' } : undefined;
}

/** The meaning of a record for the effect that its call was to undo. */
export function compensationIn(at: PlacedEvent): Compensation | undefined {
  if (at.event_type !== 'tool_executed' && at.event_type !== 'tool_call_resolved') return undefined;
  return compensationOf(at.event.compensates, at.event.outcome);
}

/**
 * Folds the end of an undo into the call whose effect it undid. A successful undo stays; of failed undos the newest counts. Returns the
 * same call if the record does not concern it.
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
