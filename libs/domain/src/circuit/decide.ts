import type { CircuitSettings } from './settings.js';
import { type Circuit, circuitStateAt } from './state.js';
import { inWindow, mergedSlots, type SlotCount, totalOf } from './window.js';

/** What outcomes of calls do to a circuit. */
export interface CircuitDecision {
  /** Undefined: the circuit is closed, and nothing of it needs to be kept. */
  circuit: Circuit | undefined;
  /** reopened: a half-open circuit failed again. */
  transition: 'opened' | 'reopened' | 'closed' | undefined;
}

const CLOSED: Circuit = { slots: [], openings: 0, opened_at_ms: null, open_until_ms: null };

/** Each opening in a row lasts twice as long as the one before. */
function opened(openings: number, now_ms: number, settings: CircuitSettings): Circuit {
  const lasts_ms = Math.min(settings.open_max_ms, settings.open_ms * 2 ** Math.min(openings - 1, 30));
  return { slots: [], openings, opened_at_ms: now_ms, open_until_ms: now_ms + lasts_ms };
}

function decideClosed(slots: readonly SlotCount[], now_ms: number, settings: CircuitSettings): CircuitDecision {
  const { outcomes, failed } = totalOf(slots);
  if (outcomes >= settings.outcomes_min && failed / outcomes >= settings.failure_ratio)
    return { circuit: opened(1, now_ms, settings), transition: 'opened' };
  return { circuit: failed > 0 ? { ...CLOSED, slots } : undefined, transition: undefined };
}

/** Calls that no rule stops may show that an open circuit works again: enough outcomes, and no failure. */
function decideOpen(circuit: Circuit, slots: readonly SlotCount[], { outcomes_min }: CircuitSettings): CircuitDecision {
  const { outcomes, failed } = totalOf(slots);
  if (outcomes >= outcomes_min && failed === 0) return { circuit: undefined, transition: 'closed' };
  return { circuit: { ...circuit, slots }, transition: undefined };
}

/** The first outcome decides: of the probe, or of another call. */
function decideHalfOpen(circuit: Circuit, counted: readonly SlotCount[], now_ms: number, settings: CircuitSettings): CircuitDecision {
  const { outcomes, failed } = totalOf(counted);
  if (failed > 0) return { circuit: opened(circuit.openings + 1, now_ms, settings), transition: 'reopened' };
  if (outcomes > 0) return { circuit: undefined, transition: 'closed' };
  return { circuit, transition: undefined };
}

/** A half-open circuit that nothing was tried on for long is closed; these outcomes are the first of a new window. */
function decideForgotten(counted: readonly SlotCount[], now_ms: number, settings: CircuitSettings): CircuitDecision {
  const { circuit, transition } = decideClosed(inWindow(counted, now_ms, settings), now_ms, settings);
  return { circuit, transition: transition ?? 'closed' };
}

/**
 * Adds outcomes to a circuit, none of a call that began before its last opening (`beganBefore`). Without outcomes: what time alone does.
 */
export function decideCircuit(
  before: Circuit | undefined,
  counted: readonly SlotCount[],
  now_ms: number,
  settings: CircuitSettings,
): CircuitDecision {
  const circuit = before ?? CLOSED;
  const slots = inWindow(mergedSlots(circuit.slots, counted), now_ms, settings);
  switch (circuitStateAt(circuit, now_ms, settings)) {
    case 'closed':
      return circuit.openings > 0 ? decideForgotten(counted, now_ms, settings) : decideClosed(slots, now_ms, settings);
    case 'open':
      return decideOpen(circuit, slots, settings);
    case 'half_open':
      return decideHalfOpen(circuit, counted, now_ms, settings);
  }
}

/** True if a call began before the circuit opened: its outcome says nothing new. */
export const beganBefore = (circuit: Pick<Circuit, 'opened_at_ms'> | undefined, began_at_ms: number): boolean =>
  began_at_ms < (circuit?.opened_at_ms ?? Number.NEGATIVE_INFINITY);
