import type { Run } from './state.js';

/** What a block waits for before it can go on. `step`: inputs and condition are to be evaluated. */
export interface Due {
  kind: 'step' | 'manual' | 'wait' | 'choose' | 'list';
  id: string;
  name: string;
  /** Of a step. */
  level?: number;
}

/** How far a block is. */
export interface Part {
  verdict: 'open' | 'succeeded' | 'failed';
  /** Of the record that decided it. */
  seq: number;
  due: readonly Due[];
  /** All calls of it so far. */
  runs: readonly Run[];
  /** Ids of its open waits. */
  waits: readonly string[];
  /** Calls and waits that are no longer needed. */
  drop: readonly Run[];
  drop_waits: readonly string[];
  /** Calls of dropped branches: what took effect of them is undone. */
  undo: readonly Run[];
  failed_step_id: string | null;
}

const nothing = { due: [], runs: [], waits: [], drop: [], drop_waits: [], undo: [], failed_step_id: null };

export const DONE: Part = { ...nothing, verdict: 'succeeded', seq: 0 };

export const openPart = (...due: Due[]): Part => ({ ...nothing, verdict: 'open', seq: 0, due });

/** Several parts as one. A failed whole starts nothing more and needs nothing that still runs. */
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
