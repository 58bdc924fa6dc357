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
  if (shift_ms === 0 && !(end?.kind === 'deduplicated' && world.affected.has(end.original_call_id as string))) return runs.length > 0;
  return end !== null && end.kind !== 'deduplicated' && !REFUSED.has(end.outcome.status);
}

/** The recorded result of a successful call with the same tool, version and inputs, nearest in time. */
export function identical(world: SimulatedWorld, call_id: string, call: ToolCall) {
  let found: { call_id: string; outcome: Outcome; distance_ms: number } | undefined;
  for (const other of world.records.twins(call)) {
    const { end } = other.state;
    if (other.call_id === call_id || end?.kind !== 'executed' || end.outcome.status !== 'succeeded') continue;
    const distance_ms = Math.abs(end.at_ms - world.now_ms);
    if (!found || distance_ms < found.distance_ms) found = { call_id: other.call_id, outcome: end.outcome, distance_ms };
  }
  return found;
}
