import type {
  Authority,
  EffectEvidence,
  Principal,
  SagaCompensationCause,
  SagaEndStatus,
  SagaLevelSkipReason,
  SagaStepStatus,
  SagaTicket,
  SagaWaitKind,
  SagaWaitOutcome,
} from '@countersign/contracts';
import type { SagaDefinition } from '../definition/definition.js';
import type { Latencies } from '../definition/latency.js';

export type UndoState = 'requested' | 'again' | 'executed' | 'failed' | 'unconfirmed' | 'missing' | 'by_hand' | 'accepted';

/** The compensation of one run. Its key is derived from the effect, so it is the same in every request. */
export interface Undo {
  state: UndoState;
  call_id: string | null;
  key: string | null;
  tool: string | null;
  version: string | null;
  inputs_json: string | null;
  /** Number of calls so far: a person may have it tried again. */
  requests: number;
  /** Sequence number of its last change. */
  seq: number;
}

/** One call of a step. */
export interface Run {
  step_id: string;
  /** Attempt number within the step, from 1, over all levels. */
  attempt: number;
  level: number;
  call_id: string;
  tool: string;
  version: string;
  key: string;
  inputs_json: string;
  is_write: boolean;
  is_irreversible: boolean;
  resources: readonly string[];
  compensation_tool: string | null;
  deadline_at_ms: number | null;
  /** Sequence number among the records of the saga. */
  requested_seq: number;
  is_cancelling: boolean;
  /** It is cancelled because its share of the time is over. */
  is_overdue: boolean;
  /** How long the clock of the saga had stood when the call was requested. */
  stood_ms: number;
  end: RunEnd | null;
  undo: Undo | null;
}

export interface RunEnd {
  status: SagaStepStatus;
  effect: EffectEvidence;
  /** Sequence number of the first record of the effect; defines the order of effects. */
  seq: number;
  effect_key: string | null;
  effect_attempt: number;
  /** A call with repaired inputs follows. */
  is_repaired: boolean;
  /** The effect became known after the saga had continued without it: a person decides about its undo. */
  is_late: boolean;
}

/** A level that could not run. `seq`: sequence number of its record. */
export interface LevelSkip {
  level: number;
  reason: SagaLevelSkipReason;
  seq: number;
}

export interface StepEntry {
  /**
   * skipped: the condition was false. excused: a person did the step or accepted its failure. unprepared: its inputs could not be
   * evaluated.
   */
  mark: 'skipped' | 'excused' | 'unprepared' | null;
  /** Sequence number of the record of the mark, and the level that it is about. */
  mark_seq: number;
  mark_level: number;
  /** The level that a person's retry of the failed step tries first; null: no retry is due. A level that ran keeps its key and inputs. */
  retry_level: number | null;
  runs: Run[];
  /** Levels that were skipped and that no retry considers anew. */
  skips: readonly LevelSkip[];
}

export interface WaitEntry {
  wait: SagaWaitKind;
  until_ms: number;
  /** `answer_json` is the output of the wait, or of the step that a person did. */
  end: { ended_as: SagaWaitOutcome; seq: number; answer_json: string | null } | null;
}

export interface Ticket {
  ticket: SagaTicket;
  step_id: string | null;
  call_id: string | null;
}

export interface RunningSaga {
  saga_id: string;
  case_id: string | null;
  definition: SagaDefinition;
  latencies: Latencies;
  deadline_at_ms: number | null;
  wait_max_ms: number;
  inputs_json: string;
  by: Principal;
  authority: Authority | null;
  definition_digest: string | null;
  /** Number of records folded so far. */
  seq: number;
  steps: Map<string, StepEntry>;
  waits: Map<string, WaitEntry>;
  /** Index of the chosen branch (-1: none), or length of the list of a map. */
  blocks: Map<string, number>;
  /** Items of all its lists. */
  items: number;
  tickets: Ticket[];
  controls: Set<string>;
  paused_until_ms: number | null;
  is_cancelled: boolean;
  is_overdue: boolean;
  /** It only undoes earlier calls. Absent in snapshots of earlier releases: false. */
  is_undo?: boolean;
  turned: { cause: SagaCompensationCause; failed_step_id: string | null } | null;
  ended: SagaEndStatus | null;
  /** The reasons of the current pause of the clock, its start, and the total of earlier pauses. */
  clock: { holders: Set<string>; since_ms: number; stood_ms: number };
}

export type SagaState = RunningSaga | undefined;

export function runsOf({ steps }: RunningSaga): Run[] {
  const all: Run[] = [];
  for (const { runs } of steps.values()) all.push(...runs);
  return all;
}

export function runOf({ steps }: RunningSaga, call_id: string): Run | undefined {
  for (const { runs } of steps.values()) for (const run of runs) if (run.call_id === call_id) return run;
  return undefined;
}

export const isLive = (run: Run): boolean => run.end === null;
export const inDoubt = (run: Run): boolean => run.end?.effect === 'unknown';
export const tookEffect = (run: Run): boolean => run.end?.effect === 'happened';

/** True while the approval of the call of a step, or of the undo of it, is open. */
export function isAsking(saga: RunningSaga, { step_id }: Run): boolean {
  const wait = saga.waits.get(step_id);
  return wait?.wait === 'call_approval' && wait.end === null;
}

const settled: ReadonlySet<UndoState> = new Set(['executed', 'by_hand', 'accepted']);
const stuck: ReadonlySet<UndoState> = new Set(['failed', 'unconfirmed', 'missing']);
/** True if the compensation is finished. */
export const isUndone = ({ undo }: Run): boolean => undo !== null && settled.has(undo.state);
/** True if only a person can continue the compensation. */
export const isStuck = ({ undo }: Run): boolean => undo !== null && stuck.has(undo.state);

/** True if the effect must be undone once its step is no longer wanted. Excludes late effects: a person decides about those. */
export const stands = (run: Run): boolean => tookEffect(run) && !run.end?.is_late && !run.is_irreversible && !isUndone(run);

export const hasTicket = (saga: RunningSaga, { ticket, step_id, call_id }: Ticket): boolean =>
  saga.tickets.some((open) => open.ticket === ticket && open.step_id === step_id && open.call_id === call_id);

/** The last irreversible step that took effect. Its effect and all earlier ones stay. */
export function pivotOf(saga: RunningSaga): Run | undefined {
  let last: Run | undefined;
  for (const { runs } of saga.steps.values())
    for (const run of runs) if (run.is_irreversible && tookEffect(run) && (run.end?.seq ?? 0) > (last?.end?.seq ?? -1)) last = run;
  return last;
}

/** An irreversible step that may be the pivot: its outcome is unknown. */
export const mayHavePivot = (saga: RunningSaga): boolean => runsOf(saga).some((run) => run.is_irreversible && inDoubt(run));

/** When the saga must have ended, epoch ms; null without a deadline, and while the clock is paused. */
export function deadlineOf({ deadline_at_ms, clock }: RunningSaga): number | null {
  return deadline_at_ms === null || clock.holders.size > 0 ? null : deadline_at_ms + clock.stood_ms;
}

/** When the call of a step must have ended, epoch ms; null without a deadline, and while the clock is paused. */
export function runDeadlineOf({ clock }: RunningSaga, { deadline_at_ms, stood_ms }: Run): number | null {
  return deadline_at_ms === null || clock.holders.size > 0 ? null : deadline_at_ms + clock.stood_ms - stood_ms;
}
