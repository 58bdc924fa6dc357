import type { ToolCall } from '@countersign/contracts';
import type { SimulatedWorld } from './simulated-world.js';

const NAMED_MAX = 20;

/** Whose calls one agent may have asked for by what it saw of others: those of a run, else its own of a case. */
function groupOf({ run_id, case_id, principal }: ToolCall): string {
  return run_id !== null ? `run/${run_id}` : `case/${case_id}/${principal.id}`;
}

/** Calls that went another way, by the group that may have seen them; asked for once the world is done. */
export class Others {
  private readonly groups = new Map<string, { call_id: string; at_ms: number }[]>();

  constructor(private readonly world: SimulatedWorld) {}

  /** Earlier calls whose going another way the agent may have seen before it asked for this one; at most 20. */
  before(call_id: string): string[] {
    const state = this.world.records.get(call_id)?.state;
    if (!state?.requested || !state.call || this.world.affected.size === 0) return [];
    const { at_ms } = state.requested;
    const earlier = (this.groups.get(groupOf(state.call)) ?? []).filter((other) => other.call_id !== call_id && other.at_ms <= at_ms);
    return earlier.slice(0, NAMED_MAX).map((other) => other.call_id);
  }

  /** Puts them into groups, one a step; before the first is asked for. */
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
