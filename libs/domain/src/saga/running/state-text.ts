import type { SagaDefinition } from '../definition/definition.js';
import type { RunningSaga } from './state.js';

type Kept = Omit<RunningSaga, 'steps' | 'waits' | 'blocks' | 'controls' | 'clock'> & {
  steps: [string, unknown][];
  waits: [string, unknown][];
  blocks: [string, number][];
  controls: string[];
  clock: { holders: string[]; since_ms: number; stood_ms: number };
};

/** The state as JSON text, for a snapshot. */
export function sagaStateText(saga: RunningSaga): string {
  const { steps, waits, blocks, controls, clock } = saga;
  const lists = { steps: [...steps], waits: [...waits], blocks: [...blocks], controls: [...controls] };
  return JSON.stringify({ ...saga, ...lists, clock: { ...clock, holders: [...clock.holders] } });
}

/** The state from its text. `shared` gives the object that equal definitions share. */
export function readSagaState(text: string, shared: (definition: SagaDefinition, digest: string | null) => SagaDefinition): RunningSaga {
  const kept = JSON.parse(text) as Kept;
  const { steps, waits, blocks, controls, clock } = kept;
  const maps = { steps: new Map(steps), waits: new Map(waits), blocks: new Map(blocks), controls: new Set(controls) };
  const whole = { ...kept, ...maps, clock: { ...clock, holders: new Set(clock.holders) } } as RunningSaga;
  return { ...whole, definition: shared(whole.definition, whole.definition_digest) };
}
