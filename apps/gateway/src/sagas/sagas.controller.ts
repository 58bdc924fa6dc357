import type { Caller, Seen } from '@countersign/calls';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { AnswerFromViews } from '../positions/views-behind.interceptor.js';
import { type SagasQuery, sagaPage, sagasQuery, sagaWithSteps } from './sagas.schemas.js';
import { SagasService } from './sagas.service.js';

/** `/v1/sagas`. */
@ApiTags('sagas')
@Controller('v1/sagas')
export class SagasController {
  constructor(private readonly sagas: SagasService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List sagas, newest first' })
  @AnswerFromViews(sagaPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: sagasQuery }) query: SagasQuery) {
    return this.sagas.list(tenant_id, query);
  }

  @Get(':saga_id')
  @Roles()
  @ApiOperation({ summary: 'Read a saga and its steps' })
  @Answer(sagaWithSteps)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('saga_id') saga_id: string, @SeenPositions() seen: Seen) {
    return this.sagas.read(tenant_id, saga_id, seen);
  }
}
