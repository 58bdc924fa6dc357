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
  const runs = parts.flatMap((part) => part.runs);
  const waits = parts.flatMap((part) => part.waits);
  const is_failed = verdict === 'failed';
  const failures = parts.filter((part) => part.verdict === 'failed').sort((a, b) => a.seq - b.seq);
  return {
    verdict,
    seq: Math.max(0, ...parts.map((part) => part.seq)),
    due: is_failed ? [] : parts.flatMap((part) => part.due),
    runs,
    waits,
    drop: is_failed ? runs.filter((run) => run.end === null) : parts.flatMap((part) => part.drop),
    drop_waits: is_failed ? waits : parts.flatMap((part) => part.drop_waits),
    undo: parts.flatMap((part) => part.undo),
    failed_step_id: failures[0]?.failed_step_id ?? null,
  };
}
