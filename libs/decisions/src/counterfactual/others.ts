import type { ToolCall } from '@countersign/contracts';
import type { SimulatedWorld } from './simulated-world.js';

const NAMED_MAX = 20;

/** Groups of calls in which an agent may have seen earlier results: those of a run, else its own in a case. */
function groupOf({ run_id, case_id, principal }: ToolCall): string {
  return run_id !== null ? `run/${run_id}` : `case/${case_id}/${principal.id}`;
}

/** Calls that ended differently, by the group that may have seen them; read once the world is complete. */
export class Others {
  private readonly groups = new Map<string, { call_id: string; at_ms: number }[]>();

  constructor(private readonly world: SimulatedWorld) {}

  /** Earlier calls that ended differently and that the agent may have seen before it made this one; at most 20. */
  before(call_id: string): string[] {
    const state = this.world.records.get(call_id)?.state;
    if (!state?.requested || !state.call || this.world.affected.size === 0) return [];
    const { at_ms } = state.requested;
    const earlier = (this.groups.get(groupOf(state.call)) ?? []).filter((other) => other.call_id !== call_id && other.at_ms <= at_ms);
    return earlier.slice(0, NAMED_MAX).map((other) => other.call_id);
  }

  /** Groups them, one per step; call it before the first read. */
  *grouped(): Generator<void> {
    for (const call_id of this.world.affected) {
      const state = this.world.records.get(call_id)?.state;
      if (state?.requested && state.call) {
        const group = groupOf(state.call);
        const known = this.groups.get(group);
        if (known) known.push({ call_id, at_ms: state.requested.at_ms });
        else this.groups.set(group, [{ call_id, at_ms: state.requested.at_ms }]);
      }
      yield;
    }
  }
}
