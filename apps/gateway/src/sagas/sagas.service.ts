import { Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { listSagas, readSaga, type SagaRow, type SagaStepWrite } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { type Page, storeQuery } from '../lists/page-query.js';
import type { SagaAnswer, SagaStepAnswer, SagasQuery, SagaWithSteps } from './sagas.schemas.js';

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

function sagaOf(row: SagaRow): SagaAnswer {
  const { saga_id, case_id, status, definition, definition_version, failed_step_id, end_reason } = row;
  return {
    ...{ saga_id, case_id, status },
    definition: definition === null ? null : { name: definition, version: definition_version },
    started_by: parsed(row.started_by),
    started_at: time(row.started_at_ms),
    ended_at: time(row.ended_at_ms),
    ...{ failed_step_id, reason: end_reason, error: parsed(row.error) },
  };
}

function compensationOf(row: SagaStepWrite): SagaStepAnswer['compensation'] {
  const { undo_tool, undo_call_id, undo_end } = row;
  if (undo_call_id === null && undo_end === null) return null;
  return {
    ...{ tool: undo_tool, call_id: undo_call_id, status: undo_end ?? 'requested' },
    requested_at: time(row.undo_requested_at_ms),
    ended_at: time(row.undo_ended_at_ms),
    error: parsed(row.undo_error),
  };
}

function stepOf(row: SagaStepWrite): SagaStepAnswer {
  const { step_id, iteration, attempt, tool, call_id, status } = row;
  const end = { error: parsed(row.error), ended_at: time(row.ended_at_ms) };
  return { ...{ step_id, iteration, attempt, tool, call_id, status }, ...end, compensation: compensationOf(row) };
}

/** Sagas: calls that run as one unit, their progress and their compensations. */
@Injectable()
export class SagasService {
  constructor(private readonly views: Views) {}

  async list(tenant_id: string, query: SagasQuery): Promise<Page<SagaAnswer>> {
    const { items, next_cursor } = await listSagas(this.views.store, { tenant_id, ...storeQuery(query) });
    return { items: items.map(sagaOf), next_cursor };
  }

  async read(tenant_id: string, saga_id: string, seen: Seen): Promise<SagaWithSteps | Refusal> {
    const current = await this.views.current(seen);
    const found = await readSaga(this.views.store, tenant_id, saga_id);
    if (!found) return current ? new Refusal('not-found', 'no saga has this id', { reason: 'saga_not_found' }) : viewsBehind();
    return { ...sagaOf(found.saga), defined_steps: parsed(found.saga.steps), steps: found.steps.map(stepOf) };
  }
}
