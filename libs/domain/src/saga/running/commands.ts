import type { CallError, EffectEvidence, Principal, SagaAct, SagaStepStatus } from '@countersign/contracts';
import type { SagaDefinition } from '../definition/definition.js';
import type { Latencies } from '../definition/latency.js';

export interface StartSaga {
  kind: 'start';
  saga_id: string;
  case_id: string | null;
  definition: SagaDefinition;
  definition_digest: string;
  definition_json: string;
  inputs_json: string;
  /** Declared p99 of the tools, by name of step. */
  latencies: Latencies;
  deadline_at_ms: number | null;
  by: Principal;
  on_behalf_of: Principal | null;
}

/** The inputs of a due step were evaluated; answers `prepare`. */
export interface PrepareStep {
  kind: 'step_prepared';
  step_id: string;
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
  latency_ms: number;
}

/** What the envelope of a call says at its end. */
export interface EndStep {
  kind: 'step_ended';
  call_id: string;
  status: Exclude<SagaStepStatus, 'skipped'>;
  effect: EffectEvidence;
  error: CallError | null;
  effect_key: string;
  effect_attempt: number;
}

/** Answers `prepare_undo`. */
export interface PrepareUndo {
  kind: 'undo_prepared';
  of_call_id: string;
  call_id: string;
  key: string;
  tool: string;
  version: string;
  inputs_json: string;
  deadline_at_ms: number;
  reason: string;
}

/** executed: it took effect, confirmed where `verify` can. unconfirmed: the outcome is unknown. */
export interface EndUndo {
  kind: 'undo_ended';
  of_call_id: string;
  /** Null where it could not be prepared. */
  call_id: string | null;
  result: 'executed' | 'failed' | 'unconfirmed';
  error: CallError | null;
  duration_ms: number;
  retry_count: number;
}

export interface AnswerWait {
  kind: 'wait_answered';
  step_id: string;
  is_refused: boolean;
  answer_json: string | null;
  reason: string | null;
  by: Principal | null;
}

export interface ControlSaga {
  kind: 'control';
  command_id: string;
  act: SagaAct;
  step_id: string | null;
  reason: string | null;
  by: Principal;
}

/** Time is data: every command says when it is decided. */
export type SagaCommand = { now_ms: number } & (
  | StartSaga
  | PrepareStep
  | EndStep
  | PrepareUndo
  | EndUndo
  | AnswerWait
  | ControlSaga
  /** The condition of a due step is false. */
  | { kind: 'step_skipped'; step_id: string; tool: string }
  /** A condition or an input of a due step could not be evaluated. */
  | { kind: 'step_unprepared'; step_id: string; tool: string; error: CallError }
  /** Index of the branch that runs, -1 for `otherwise` or none. */
  | { kind: 'branch_chosen'; block_id: string; choice: number }
  | { kind: 'list_read'; block_id: string; items: number }
  /** A condition of a branch or the list of a map could not be evaluated. */
  | { kind: 'block_failed'; block_id: string; error: CallError }
  /** The call of a step waits for its approval, or no longer does. */
  | { kind: 'approval_opened'; call_id: string }
  | { kind: 'approval_closed'; call_id: string }
  /** A process has read the log: what a crash left unrecorded of a decision follows now. */
  | { kind: 'recovered' }
  /** A moment that `timer` named has passed. */
  | { kind: 'timer' }
  /** A call that is not open turned out to have taken effect, or not. */
  | { kind: 'evidence'; of_call_id: string; direction: 'forward' | 'compensate'; happened: boolean }
);
