import type { ClaimedResources, Outcome, ToolCall } from '@countersign/contracts';
import type { RecordedCall } from './recorded-calls.js';
import type { SimulatedWorld } from './simulated-world.js';

const REFUSED: ReadonlySet<string> = new Set(['expired', 'cancelled', 'denied']);

/** The recorded resources of the run. */
export function resourcesOf(recorded: RecordedCall | undefined): ClaimedResources | null {
  for (const { event_type, event } of recorded?.runs ?? []) if (event_type === 'tool_call_started') return event.resources;
  return null;
}

/** The recorded start, or the end if it ended without one. */
export function startedAt({ runs }: RecordedCall): number | undefined {
  const [first] = runs;
  if (!first) return undefined;
  if (first.event_type === 'tool_call_started') return first.event.fired_at_ms;
  return first.event_type === 'tool_executed' ? Math.min(first.event.outcome.started_at_ms, first.timestamp_ms) : first.timestamp_ms;
}

/** True if the recorded run shows the result of running it (at another time). */
export function hasRun({ state, runs }: RecordedCall, shift_ms: number, world: SimulatedWorld): boolean {
  const end = state.end ?? state.doubt;
  if (shift_ms === 0 && !(end?.kind === 'deduplicated' && world.isChanged(end.original_call_id as string))) return runs.length > 0;
  return end !== null && end.kind !== 'deduplicated' && !REFUSED.has(end.outcome.status);
}

/** The result of another call for a call that never ran, or the call on record that has none for it, and why. */
export type TwinAnswer = { call_id: string; outcome: Outcome } | { call_id: string; why: string } | undefined;

const MOVED = 'the call never ran, and the call with the same inputs that did is changed too: its answer would not have been the same';
const LATER = 'the call never ran, and the call with the same inputs that did ran later: its answer may have been another one';

/**
 * The result of a successful call with the same tool, version and inputs that has ended in this world as it did on record; the newest.
 * An answer is never taken from a call that the changes give another course, nor from one that has not ended yet in this world.
 */
export function identical(world: SimulatedWorld, of: string, call: ToolCall): TwinAnswer {
  let found: { call_id: string; outcome: Outcome; at_ms: number } | undefined;
  let without: { call_id: string; why: string } | undefined;
  for (const other of world.records.twins(call)) {
    const { end } = other.state;
    if (other.call_id === of || end?.kind !== 'executed' || end.outcome.status !== 'succeeded') continue;
    const { call_id } = other;
    if (world.isChanged(call_id)) without = { call_id, why: MOVED };
    else if (world.calls.get(call_id)?.end == null) without ??= { call_id, why: LATER };
    else if (!found || end.at_ms > found.at_ms) found = { call_id, outcome: end.outcome, at_ms: end.at_ms };
  }
  return found ?? without;
}
