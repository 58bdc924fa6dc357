import type { CircuitSettings } from './settings.js';
import { type Circuit, circuitStateAt } from './state.js';
import { inWindow, mergedSlots, type SlotCount, slotAt, totalOf } from './window.js';

/** What outcomes of calls do to a circuit. */
export interface CircuitDecision {
  /** Undefined: the circuit is closed, and nothing of it needs to be kept. */
  circuit: Circuit | undefined;
  /** reopened: a half-open circuit failed again. */
  transition: 'opened' | 'reopened' | 'closed' | undefined;
}

/** Each opening in a row lasts twice as long as the one before. */
function opened(circuit: Circuit, now_ms: number, settings: CircuitSettings): Circuit {
  const openings = circuit.openings + 1;
  const lasts_ms = Math.min(settings.open_max_ms, settings.open_ms * 2 ** Math.min(openings - 1, 30));
  return { ...circuit, slots: [], openings, opened_at_ms: now_ms, open_until_ms: now_ms + lasts_ms };
}

const closed = (slots: readonly SlotCount[], failing_since_ms: number): Circuit => ({
  ...{ slots, failing_since_ms, openings: 0 },
  ...{ opened_at_ms: null, open_until_ms: null },
});

function decideClosed(circuit: Circuit, now_ms: number, settings: CircuitSettings): CircuitDecision {
  const { outcomes, failed } = totalOf(circuit.slots);
  const is_failing = outcomes >= settings.outcomes_min && failed / outcomes >= settings.failure_ratio;
  if (is_failing && now_ms >= circuit.failing_since_ms + settings.confirm_ms)
    return { circuit: opened(circuit, now_ms, settings), transition: 'opened' };
  return { circuit: failed > 0 ? circuit : undefined, transition: undefined };
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
  if (failed > 0) return { circuit: opened(circuit, now_ms, settings), transition: 'reopened' };
  if (outcomes > 0) return { circuit: undefined, transition: 'closed' };
  return { circuit, transition: undefined };
}

/** A half-open circuit that nothing was tried on for long is closed; these outcomes are the first of a new window. */
function decideForgotten(counted: readonly SlotCount[], now_ms: number, settings: CircuitSettings): CircuitDecision {
  const { circuit } = decideClosed(closed(inWindow(counted, now_ms, settings), now_ms), now_ms, settings);
  return { circuit, transition: 'closed' };
}

/** The outcomes since the circuit opened; an executor may report earlier ones late. */
function sinceOpening(circuit: Circuit, counted: readonly SlotCount[], settings: CircuitSettings): readonly SlotCount[] {
  const { opened_at_ms } = circuit;
  return opened_at_ms === null ? counted : counted.filter(({ slot }) => slot >= slotAt(opened_at_ms, settings));
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
  const circuit = before ?? closed([], now_ms);
  const recent = sinceOpening(circuit, counted, settings);
  const slots = inWindow(mergedSlots(circuit.slots, recent), now_ms, settings);
  switch (circuitStateAt(circuit, now_ms, settings)) {
    case 'closed':
      return circuit.openings > 0 ? decideForgotten(recent, now_ms, settings) : decideClosed({ ...circuit, slots }, now_ms, settings);
    case 'open':
      return decideOpen(circuit, slots, settings);
    case 'half_open':
      return decideHalfOpen(circuit, recent, now_ms, settings);
  }
}

/** True if a call began before the circuit opened: its outcome says nothing new. */
export const beganBefore = (circuit: Pick<Circuit, 'opened_at_ms'> | undefined, began_at_ms: number): boolean =>
  began_at_ms < (circuit?.opened_at_ms ?? Number.NEGATIVE_INFINITY);
