import type { Run, RunningSaga, StepEntry } from './state.js';

/** A copy that a fold may change by `ownEntry` and `ownRun`. Steps, calls and waits that do not change are shared with the original. */
export function copyOf(saga: RunningSaga): RunningSaga {
  const { since_ms, stood_ms, holders } = saga.clock;
  return {
    ...saga,
    steps: new Map(saga.steps),
    waits: new Map(saga.waits),
    blocks: new Map(saga.blocks),
    tickets: [...saga.tickets],
    controls: new Set(saga.controls),
    clock: { since_ms, stood_ms, holders: new Set(holders) },
  };
}

/** The entry of a step, new if there is none, that only this copy of the saga has. */
export function ownEntry({ steps }: RunningSaga, step_id: string): StepEntry {
  const known = steps.get(step_id);
  const own: StepEntry = known
    ? { ...known, runs: [...known.runs] }
    : { mark: null, mark_seq: 0, mark_level: 0, retry_level: null, runs: [], skips: [] };
  steps.set(step_id, own);
  return own;
}

/** The run of a call that only this copy of the saga has; undefined if there is none. */
export function ownRun({ steps }: RunningSaga, call_id: string): Run | undefined {
  for (const [step_id, entry] of steps) {
    const at = entry.runs.findIndex((run) => run.call_id === call_id);
    if (at < 0) continue;
    const own = { ...(entry.runs[at] as Run) };
    steps.set(step_id, { ...entry, runs: entry.runs.with(at, own) });
    return own;
  }
  return undefined;
}
