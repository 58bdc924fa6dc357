import type {
  EffectEvidence,
  SagaEndStatus,
  SagaLevelSkipReason,
  SagaStepStatus,
  SagaTicket,
  SagaWaitKind,
  SagaWaitOutcome,
} from '@countersign/contracts';
import type { Row } from '../store.js';

/** What one or more events report about a saga; null for what they do not report. */
export interface SagaWrite extends Row {
  tenant_id: string;
  saga_id: string;
  case_id: string | null;
  definition: string | null;
  definition_version: string | null;
  definition_digest: string | null;
  /** JSON object: what a wait or manual step asks a person, by name. */
  questions: string | null;
  /** JSON object: the JSON Schema of the answer of a wait, by name. */
  answer_schemas: string | null;
  /** JSON text of the contract's `saga_step[]`. */
  steps: string | null;
  /** JSON text of a `principal`. */
  started_by: string | null;
  /** Id of the user for whom it was started. */
  on_behalf_of: string | null;
  started_at_ms: number | null;
  deadline_at_ms: number | null;
  wait_max_ms: number | null;
  request_digest: string | null;
  /** How many earlier calls it undoes; 0: it runs its definition. */
  undoes: number | null;
  /** A fact follows its start. */
  advanced: boolean;
  compensating: boolean;
  paused: boolean;
  paused_at_ms: number | null;
  paused_offset: number | null;
  end_status: SagaEndStatus | null;
  failed_step_id: string | null;
  end_reason: string | null;
  /** JSON text of a `call_error`. */
  error: string | null;
  ended_at_ms: number | null;
  /** Partition and offset of its first record. */
  source_partition: number;
  source_offset: number;
}

type Columns<R extends Row, C extends string> = Row & { [N in C]: R[N] };

/** What later events report about a saga: all but its start. */
export type SagaAdvance = Columns<
  SagaWrite,
  | ('tenant_id' | 'saga_id' | 'case_id' | 'advanced' | 'compensating' | 'paused' | 'paused_at_ms' | 'paused_offset')
  | ('end_status' | 'failed_step_id' | 'end_reason' | 'error' | 'ended_at_ms' | 'source_partition' | 'source_offset')
>;

/** The state of a compensation, as `UndoState` of the domain. */
export type SagaUndoState = 'requested' | 'again' | 'executed' | 'failed' | 'unconfirmed' | 'missing' | 'by_hand' | 'accepted';

/** One call of a step, and its compensation. */
export interface SagaStepWrite extends Row {
  tenant_id: string;
  saga_id: string;
  step_id: string;
  iteration: number;
  attempt: number;
  level: number | null;
  tool: string | null;
  version: string | null;
  call_id: string | null;
  requested_at_ms: number | null;
  requested_offset: number | null;
  deadline_at_ms: number | null;
  is_irreversible: boolean | null;
  /** Undoes the step; null where nothing does. */
  compensation_tool: string | null;
  /** JSON text of the changes of the inputs, in words; null: none. */
  repairs: string | null;
  cancel_requested: boolean;
  status: SagaStepStatus | null;
  effect: EffectEvidence | null;
  error: string | null;
  ended_at_ms: number | null;
  /** Offset of the record from which the effect is known. */
  end_offset: number | null;
  /** The effect became known after the saga had gone on without it. */
  is_late: boolean | null;
  evidence_offset: number | null;
  undo_tool: string | null;
  undo_version: string | null;
  undo_call_id: string | null;
  undo_requested_at_ms: number | null;
  undo_state: SagaUndoState | null;
  undo_error: string | null;
  undo_ended_at_ms: number | null;
  undo_offset: number | null;
  source_offset: number;
}

/** What the events between the request of a call and its undo report. */
export type SagaStepEnd = Columns<
  SagaStepWrite,
  | ('tenant_id' | 'saga_id' | 'step_id' | 'iteration' | 'attempt' | 'level' | 'tool' | 'call_id' | 'cancel_requested')
  | ('status' | 'effect' | 'error' | 'ended_at_ms' | 'end_offset' | 'is_late' | 'evidence_offset' | 'source_offset')
>;

/** A wait that opened. */
export interface SagaWaitWrite extends Row {
  tenant_id: string;
  saga_id: string;
  step_id: string;
  opened_offset: number;
  wait: SagaWaitKind;
  event_name: string | null;
  until_ms: number;
  opened_at_ms: number;
}

export interface SagaWaitRow extends SagaWaitWrite {
  ended_as: SagaWaitOutcome | null;
  /** JSON text of a `principal`. */
  ended_by: string | null;
  end_reason: string | null;
  ended_at_ms: number | null;
}

/** The end of the waits of a step that opened before. */
export interface SagaWaitEnd extends Row {
  tenant_id: string;
  saga_id: string;
  step_id: string;
  offset: number;
  ended_as: SagaWaitOutcome;
  ended_by: string | null;
  end_reason: string | null;
  ended_at_ms: number;
}

export interface SagaTicketWrite extends Row {
  tenant_id: string;
  saga_id: string;
  opened_offset: number;
  ticket: SagaTicket;
  step_id: string | null;
  call_id: string | null;
  opened_at_ms: number;
}

/** A fallback level that was skipped without a call. */
export interface SagaSkipWrite extends Row {
  tenant_id: string;
  saga_id: string;
  step_id: string;
  source_offset: number;
  level: number;
  tool: string;
  version: string;
  reason: SagaLevelSkipReason;
  skipped_at_ms: number;
}

/** Why tickets closed: what a person did, evidence, the saga turned back, or it ended. */
export type SagaTicketEnd = 'retry' | 'accept' | 'done_by_hand' | 'evidence' | 'turned' | 'ended';

/** Closes tickets of a saga that opened before: all that `closed_as` permits, or only those of a step or a call. */
export interface SagaTicketClosing extends Row {
  tenant_id: string;
  saga_id: string;
  offset: number;
  closed_as: SagaTicketEnd;
  step_id: string | null;
  call_id: string | null;
  closed_at_ms: number;
}

/** What became of a request: its fact is on the record, or it was refused with a message. */
export interface SagaAnswerWrite extends Row {
  tenant_id: string;
  /** event_id of the request. */
  command_id: string;
  saga_id: string;
  outcome: 'controlled' | 'answered' | 'refused';
  message: string | null;
  source_offset: number;
}

/** A call of a saga that ended without an effect, and took effect. */
export interface SagaLateEffect extends Row {
  tenant_id: string;
  saga_id: string;
  call_id: string;
  step_id: string;
}

/** Evidence on a call that has ended, or on its compensation. */
export interface SagaEvidence extends Row {
  tenant_id: string;
  saga_id: string;
  call_id: string;
  offset: number;
  happened: boolean;
}

/** What a person decided about stuck compensations: of one step, or of all. */
export interface SagaUndoDecision extends Row {
  tenant_id: string;
  saga_id: string;
  step_id: string | null;
  offset: number;
  undo_state: 'again' | 'accepted' | 'by_hand';
}
