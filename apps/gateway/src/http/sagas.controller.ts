import { Refusal, Views, viewsBehind } from '@countersign/calls';
import { listSagas, readSaga, type SagaRow, type SagaStepWrite } from '@countersign/store';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { Face } from './face.js';
import { listed } from './lists.js';
import { behindHeader, seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const sagaFilters = {
  case_id: z.string().min(1).max(200).optional(),
  status: z.enum(['running', 'compensating', 'completed', 'compensated', 'compensation_failed', 'aborted']).optional(),
};

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

function sagaFace(row: SagaRow): Record<string, unknown> {
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

function stepFace(row: SagaStepWrite): Record<string, unknown> {
  const { step_id, iteration, attempt, tool, call_id, status, undo_tool, undo_call_id, undo_end } = row;
  const undo = {
    ...{ tool: undo_tool, call_id: undo_call_id, status: undo_end ?? 'requested' },
    requested_at: time(row.undo_requested_at_ms),
    ended_at: time(row.undo_ended_at_ms),
    error: parsed(row.undo_error),
  };
  return {
    ...{ step_id, iteration, attempt, tool, call_id, status, error: parsed(row.error), ended_at: time(row.ended_at_ms) },
    compensation: undo_call_id === null ? null : undo,
  };
}

/** `GET /v1/sagas`: what runs as one, how far it is and what was undone. */
@Controller('v1/sagas')
export class SagasController {
  constructor(
    private readonly face: Face,
    private readonly views: Views,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const query = listed(request, sagaFilters);
      if (query instanceof Refusal) return query;
      const told = await behindHeader(this.views, request);
      const page = await listSagas(this.views.store, { tenant_id: caller.tenant_id, ...query });
      return ok({ items: page.items.map(sagaFace), next_cursor: page.next_cursor }, told);
    });
  }

  @Get(':saga_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const current = await this.views.current(seenOf(request));
      const { saga_id } = request.params as { saga_id: string };
      const found = await readSaga(this.views.store, caller.tenant_id, saga_id);
      if (!found) return current ? new Refusal('not-found', 'there is no saga of this id') : viewsBehind();
      return ok({ ...sagaFace(found.saga), defined_steps: parsed(found.saga.steps), steps: found.steps.map(stepFace) });
    });
  }
}
