import type {
  EffectEvidence,
  Principal,
  SagaEndStatus,
  SagaStepStatus,
  SagaTicket,
  SagaWaitKind,
  SagaWaitOutcome,
} from '@countersign/contracts';
import type { SagaDefinition } from '../definition/definition.js';
import type { Latencies } from '../definition/latency.js';

export type UndoState = 'requested' | 'again' | 'executed' | 'failed' | 'unconfirmed' | 'missing' | 'by_hand' | 'accepted';

/** The compensation of one run. Its key comes from the effect, so it is the same in every request. */
export interface Undo {
  state: UndoState;
  call_id: string | null;
  key: string | null;
  tool: string | null;
  version: string | null;
  inputs_json: string | null;
}

/** One call of a step. */
export interface Run {
  step_id: string;
  /** Of the step, from 1, over all levels. */
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
  /** Place among the records of the saga. */
  requested_seq: number;
  is_cancelling: boolean;
  end: RunEnd | null;
  undo: Undo | null;
}

export interface RunEnd {
  status: SagaStepStatus;
  effect: EffectEvidence;
  /** Of the first record of the effect; the order of effects. */
  seq: number;
  effect_key: string | null;
  effect_attempt: number;
  /** Became known after the saga had continued without it: a person decides about its undo. */
  is_late: boolean;
}

export interface StepEntry {
  /** skipped: its condition was false. excused: a person did it or goes on without it. unprepared: its inputs could not be evaluated. */
  mark: 'skipped' | 'excused' | 'unprepared' | null;
  /** A person wants the failed step once more: same level, key and inputs. */
  is_again: boolean;
  runs: Run[];
}

export interface WaitEntry {
  wait: SagaWaitKind;
  until_ms: number;
  end: { ended_as: SagaWaitOutcome; seq: number } | null;
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
  by: Principal;
  /** Records folded so far. */
  seq: number;
  steps: Map<string, StepEntry>;
  waits: Map<string, WaitEntry>;
  /** Choice of a branch (-1: none), or length of the list of a map. */
  blocks: Map<string, number>;
  tickets: Ticket[];
  controls: Set<string>;
  paused_until_ms: number | null;
  is_cancelled: boolean;
  is_overdue: boolean;
  turned: { cause: 'step_failed' | 'cancelled' | 'deadline'; failed_step_id: string | null } | null;
  ended: SagaEndStatus | null;
  /** Why the clock is paused, and since when. */
  clock: { holders: Set<string>; since_ms: number; stood_ms: number };
}

export type SagaState = RunningSaga | undefined;

export const runsOf = (saga: RunningSaga): Run[] => [...saga.steps.values()].flatMap((step) => step.runs);
export const runOf = (saga: RunningSaga, call_id: string): Run | undefined => runsOf(saga).find((run) => run.call_id === call_id);
export const isLive = (run: Run): boolean => run.end === null;
export const inDoubt = (run: Run): boolean => run.end?.effect === 'unknown';
export const tookEffect = (run: Run): boolean => run.end?.effect === 'happened';

const settled: ReadonlySet<UndoState> = new Set(['executed', 'by_hand', 'accepted']);
const stuck: ReadonlySet<UndoState> = new Set(['failed', 'unconfirmed', 'missing']);
/** Nothing more is to be done about it. */
export const isUndone = ({ undo }: Run): boolean => undo !== null && settled.has(undo.state);
/** Only a person moves it. */
export const isStuck = ({ undo }: Run): boolean => undo !== null && stuck.has(undo.state);

/** An effect to undo when its step is no longer wanted. A person decides on late ones. */
export const stands = (run: Run): boolean => tookEffect(run) && !run.end?.is_late && !run.is_irreversible && !isUndone(run);

/** The irreversible step that took effect last. What took effect up to it stays. */
export function pivotOf(saga: RunningSaga): Run | undefined {
  const pivots = runsOf(saga).filter((run) => run.is_irreversible && tookEffect(run));
  return pivots.sort((a, b) => (b.end?.seq ?? 0) - (a.end?.seq ?? 0))[0];
}

/** When the saga must be over; null without a deadline and while a person decides. */
export function deadlineOf({ deadline_at_ms, clock }: RunningSaga): number | null {
  return deadline_at_ms === null || clock.holders.size > 0 ? null : deadline_at_ms + clock.stood_ms;
}
