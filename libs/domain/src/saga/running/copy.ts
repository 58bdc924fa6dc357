import type { RunningSaga } from './state.js';

const valuesCopied = <V extends object>(map: ReadonlyMap<string, V>): Map<string, V> =>
  new Map([...map].map(([id, value]) => [id, { ...value }]));

/** A copy that a fold may change. The definition and other immutable parts are shared. */
export function copyOf(saga: RunningSaga): RunningSaga {
  const steps = valuesCopied(saga.steps);
  for (const entry of steps.values()) entry.runs = entry.runs.map((run) => ({ ...run, undo: run.undo && { ...run.undo } }));
  const { since_ms, stood_ms, holders } = saga.clock;
  return {
    ...saga,
    steps,
    waits: valuesCopied(saga.waits),
    blocks: new Map(saga.blocks),
    tickets: [...saga.tickets],
    controls: new Set(saga.controls),
    clock: { since_ms, stood_ms, holders: new Set(holders) },
  };
}
