import type { Statement } from '../store.js';
import { columnsOf, type Named, place, type Types, takenIf } from './saga-columns.js';
import type { SagaEvidence, SagaStepEnd, SagaStepWrite, SagaUndoDecision } from './saga-rows.js';

const stepTypes: Types<Named<SagaStepWrite>> = {
  ...place,
  ...{ step_id: 'text', iteration: 'int4', attempt: 'int4', level: 'int2', tool: 'text', version: 'text', call_id: 'text' },
  ...{
    requested_at_ms: 'int8',
    requested_offset: 'int8',
    deadline_at_ms: 'int8',
    is_irreversible: 'bool',
    compensation_tool: 'text',
    repairs: 'text',
    cancel_requested: 'bool',
  },
  ...{ status: 'text', effect: 'text', error: 'text', ended_at_ms: 'int8', end_offset: 'int8', is_late: 'bool', evidence_offset: 'int8' },
  ...{ undo_tool: 'text', undo_version: 'text', undo_call_id: 'text', undo_requested_at_ms: 'int8', undo_state: 'text' },
  ...{ undo_error: 'text', undo_ended_at_ms: 'int8', undo_offset: 'int8', source_offset: 'int8' },
};

const STEP_END_COLUMNS = ['status', 'effect', 'error', 'ended_at_ms', 'end_offset', 'is_late', 'evidence_offset'];

/** At most one row for each call of a step in one statement. The first request and the first end count, and the newest undo. */
export function upsertSagaSteps(rows: readonly SagaStepWrite[]): Statement {
  const { names, unnest, params } = columnsOf(stepTypes, rows);
  const first = [
    'level',
    'tool',
    'version',
    'call_id',
    'requested_at_ms',
    'requested_offset',
    'deadline_at_ms',
    'is_irreversible',
    'compensation_tool',
    'repairs',
  ];
  const newer = 'excluded.undo_offset > COALESCE(saga_steps.undo_offset, -1)';
  const kept = ['undo_tool', 'undo_version', 'undo_call_id', 'undo_requested_at_ms'];
  return {
    name: 'views_upsert_saga_steps',
    text: `INSERT INTO {saga_steps} AS saga_steps (${names}) SELECT * FROM ${unnest}
           ON CONFLICT (tenant_id, saga_id, step_id, iteration, attempt) DO UPDATE SET
             ${first.map((name) => `${name} = COALESCE(saga_steps.${name}, excluded.${name})`).join(', ')},
             cancel_requested = saga_steps.cancel_requested OR excluded.cancel_requested,
             ${takenIf('saga_steps', 'saga_steps.status IS NULL', STEP_END_COLUMNS)},
             ${kept.map((name) => `${name} = CASE WHEN ${newer} THEN COALESCE(excluded.${name}, saga_steps.${name}) ELSE saga_steps.${name} END`).join(', ')},
             ${takenIf('saga_steps', newer, ['undo_state', 'undo_error', 'undo_ended_at_ms', 'undo_offset'])},
             source_offset = LEAST(saga_steps.source_offset, excluded.source_offset)`,
    params,
  };
}

const stepEndTypes: Types<Named<SagaStepEnd>> = {
  ...place,
  ...{ step_id: 'text', iteration: 'int4', attempt: 'int4', level: 'int2', tool: 'text', call_id: 'text', cancel_requested: 'bool' },
  ...{ status: 'text', effect: 'text', error: 'text', ended_at_ms: 'int8', end_offset: 'int8', is_late: 'bool', evidence_offset: 'int8' },
  source_offset: 'int8',
};

/** As `upsertSagaSteps` for calls whose request is in an earlier write and whose undo did not begin: a third of its columns. */
export function endSagaSteps(rows: readonly SagaStepEnd[]): Statement {
  const { names, unnest, params } = columnsOf(stepEndTypes, rows);
  return {
    name: 'views_end_saga_steps',
    text: `INSERT INTO {saga_steps} AS saga_steps (${names}) SELECT * FROM ${unnest}
           ON CONFLICT (tenant_id, saga_id, step_id, iteration, attempt) DO UPDATE SET
             ${['level', 'tool', 'call_id'].map((name) => `${name} = COALESCE(saga_steps.${name}, excluded.${name})`).join(', ')},
             cancel_requested = saga_steps.cancel_requested OR excluded.cancel_requested,
             ${takenIf('saga_steps', 'saga_steps.status IS NULL', STEP_END_COLUMNS)},
             source_offset = LEAST(saga_steps.source_offset, excluded.source_offset)`,
    params,
  };
}

/** Evidence on one call: it resolves a doubt, or is late. As `evolveSaga`. */
export function recordSagaEvidence({ tenant_id, saga_id, call_id, offset, happened }: SagaEvidence): Statement {
  return {
    name: 'views_saga_evidence',
    text: `UPDATE {saga_steps} SET evidence_offset = $4,
             status = CASE WHEN effect IS DISTINCT FROM 'unknown' THEN status WHEN $5 THEN 'succeeded' ELSE 'failed' END,
             is_late = is_late OR effect IS DISTINCT FROM 'unknown',
             end_offset = CASE WHEN effect IS DISTINCT FROM 'unknown' THEN end_offset ELSE $4 END,
             effect = CASE WHEN effect = 'unknown' AND NOT $5 THEN 'none' ELSE 'happened' END
           WHERE tenant_id = $1 AND saga_id = $2 AND call_id = $3 AND status IS NOT NULL AND end_offset < $4
             AND COALESCE(evidence_offset, -1) < $4`,
    params: [tenant_id, saga_id, call_id, offset, happened],
  };
}

/** Evidence on the compensation of one call. */
export function recordSagaUndoEvidence({ tenant_id, saga_id, call_id, offset, happened }: SagaEvidence): Statement {
  return {
    name: 'views_saga_undo_evidence',
    text: `UPDATE {saga_steps} SET undo_state = CASE WHEN $5 THEN 'executed' ELSE 'failed' END, undo_offset = $4
           WHERE tenant_id = $1 AND saga_id = $2 AND call_id = $3 AND undo_state IS NOT NULL AND undo_offset < $4`,
    params: [tenant_id, saga_id, call_id, offset, happened],
  };
}

/** A person decided about stuck compensations. */
export function decideSagaUndos({ tenant_id, saga_id, step_id, offset, undo_state }: SagaUndoDecision): Statement {
  return {
    name: 'views_saga_undo_decision',
    text: `UPDATE {saga_steps} SET undo_state = $5, undo_offset = $4
           WHERE tenant_id = $1 AND saga_id = $2 AND ($3::text IS NULL OR step_id = $3)
             AND undo_state IN ('failed', 'unconfirmed', 'missing') AND undo_offset < $4`,
    params: [tenant_id, saga_id, step_id, offset, undo_state],
  };
}
