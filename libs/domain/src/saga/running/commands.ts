import type {
  Authority,
  CallError,
  EffectEvidence,
  Principal,
  SagaAct,
  SagaLevelSkipReason,
  SagaStepStatus,
  SagaUndoneEffect,
  SourcePosition,
} from '@countersign/contracts';
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
  /** Declared p99 of the tools, by step name. */
  latencies: Latencies;
  /** Effects of earlier calls to undo, oldest first: then the saga runs no step of its definition. Default: none. */
  undoes?: readonly SagaUndoneEffect[];
  deadline_at_ms: number | null;
  by: Principal;
  /** The rights with which the steps are called; null: those of the roles of `by`. */
  authority: Authority | null;
  /** Distinguishes a repeat of the request from another request with the same id. */
  request_digest: string | null;
  source: SourcePosition | null;
}

/** The inputs of a due step were evaluated. Answers `prepare`. */
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
  /** What was changed in the inputs of a read after its last call. */
  repairs: readonly string[];
}

/** A due level cannot run now, so the next one follows. Also answers `prepare`, after the condition of the step was true. */
export interface SkipLevel {
  kind: 'level_skipped';
  step_id: string;
  level: number;
  tool: string;
  version: string;
  reason: SagaLevelSkipReason;
}

/** The end of a call, from its envelope. */
export interface EndStep {
  kind: 'step_ended';
  call_id: string;
  status: Exclude<SagaStepStatus, 'skipped'>;
  effect: EffectEvidence;
  error: CallError | null;
  effect_key: string;
  effect_attempt: number;
  /** A read that failed or answered empty is called again with repaired inputs. */
  is_repaired: boolean;
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

/** executed: the undo took effect, confirmed if the tool can `verify`. unconfirmed: the outcome is unknown. */
export interface EndUndo {
  kind: 'undo_ended';
  of_call_id: string;
  /** Null if the undo could not be prepared. */
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
  command_id: string | null;
  source: SourcePosition | null;
}

export interface ControlSaga {
  kind: 'control';
  command_id: string;
  act: SagaAct;
  step_id: string | null;
  reason: string | null;
  by: Principal;
  source: SourcePosition | null;
}

/** Every command contains the time of its decision. */
export type SagaCommand = { now_ms: number } & (
  | StartSaga
  | PrepareStep
  | SkipLevel
  | EndStep
  | PrepareUndo
  | EndUndo
  | AnswerWait
  | ControlSaga
  /** The condition of a due step is false. */
  | { kind: 'step_skipped'; step_id: string; tool: string }
  /** A condition or an input of a due step could not be evaluated. */
  | { kind: 'step_unprepared'; step_id: string; tool: string; error: CallError }
  /** Index of the chosen branch, -1 for `otherwise` or none. */
  | { kind: 'branch_chosen'; block_id: string; choice: number }
  | { kind: 'list_read'; block_id: string; items: number }
  /** A condition of a branch or the list of a map could not be evaluated. */
  | { kind: 'block_failed'; block_id: string; error: CallError }
  /** The call of a step starts to wait for its approval, or no longer waits. */
  | { kind: 'approval_opened'; call_id: string }
  | { kind: 'approval_closed'; call_id: string }
  /** A process has read the log after a start: records that follow from a decision but were lost in a crash are written now. */
  | { kind: 'recovered' }
  /** A time requested by a `timer` effect has passed. */
  | { kind: 'timer' }
  /** New evidence on a call that is not open: it took effect, or it did not. */
  | { kind: 'evidence'; of_call_id: string; direction: 'forward' | 'compensate'; happened: boolean }
);
