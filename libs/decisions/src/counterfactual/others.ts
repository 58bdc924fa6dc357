import type { ToolCall } from '@countersign/contracts';
import type { SimulatedWorld } from './simulated-world.js';

const NAMED_MAX = 20;

/** The group of calls whose results an agent may have seen: those of the run, else its own calls in the case. */
function groupOf({ run_id, case_id, principal }: ToolCall): string {
  return run_id !== null ? `run/${run_id}` : `case/${case_id}/${principal.id}`;
}

/** The affected calls, by the group that may have seen them. Read it after the world is complete. */
export class Others {
  private readonly groups = new Map<string, { call_id: string; at_ms: number }[]>();

  constructor(private readonly world: SimulatedWorld) {}

  /** Earlier affected calls whose results the agent may have seen before it made this call; at most 20. */
  before(call_id: string): string[] {
    const state = this.world.records.get(call_id)?.state;
    if (!state?.requested || !state.call || this.world.affected.size === 0) return [];
    const { at_ms } = state.requested;
    const earlier = (this.groups.get(groupOf(state.call)) ?? []).filter((other) => other.call_id !== call_id && other.at_ms <= at_ms);
    return earlier.slice(0, NAMED_MAX).map((other) => other.call_id);
  }

  /** Groups the affected calls, one per step. Call this before the first read. */
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
