import type { Run } from './state.js';

/** What a block needs before it can continue. `step`: its inputs and condition must be evaluated. */
export interface Due {
  kind: 'step' | 'manual' | 'wait' | 'choose' | 'list';
  id: string;
  name: string;
  /** Level of a step. */
  level?: number;
}

/** The progress of a block. */
export interface Part {
  verdict: 'open' | 'succeeded' | 'failed';
  /** Sequence number of the deciding record. */
  seq: number;
  due: readonly Due[];
  /** All its calls so far. */
  runs: readonly Run[];
  /** Ids of its open waits. */
  waits: readonly string[];
  /** Calls that are no longer needed; `drop_waits`: the same for waits. */
  drop: readonly Run[];
  drop_waits: readonly string[];
  /** Calls of dropped branches: those that took effect are undone. */
  undo: readonly Run[];
  failed_step_id: string | null;
}

const nothing = { due: [], runs: [], waits: [], drop: [], drop_waits: [], undo: [], failed_step_id: null };

export const DONE: Part = { ...nothing, verdict: 'succeeded', seq: 0 };

export const openPart = (...due: Due[]): Part => ({ ...nothing, verdict: 'open', seq: 0, due });

/** Combines several parts. A failed whole starts nothing more and drops everything that still runs. */
export function joinedParts(parts: readonly Part[], verdict: Part['verdict']): Part {
  const whole = { seq: 0, due: [] as Due[], runs: [] as Run[], waits: [] as string[], undo: [] as Run[] };
  const [drop, drop_waits]: [Run[], string[]] = [[], []];
  let failure: Part | undefined;
  for (const part of parts) {
    whole.seq = Math.max(whole.seq, part.seq);
    whole.due.push(...part.due);
    whole.runs.push(...part.runs);
    whole.waits.push(...part.waits);
    whole.undo.push(...part.undo);
    drop.push(...part.drop);
    drop_waits.push(...part.drop_waits);
    if (part.verdict === 'failed' && part.seq < (failure?.seq ?? Number.POSITIVE_INFINITY)) failure = part;
  }
  const failed_step_id = failure?.failed_step_id ?? null;
  if (verdict !== 'failed') return { ...whole, verdict, drop, drop_waits, failed_step_id };
  return { ...whole, verdict, due: [], drop: whole.runs.filter((run) => run.end === null), drop_waits: whole.waits, failed_step_id };
}
