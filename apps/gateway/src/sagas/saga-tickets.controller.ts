import type { Caller } from '@countersign/calls';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AnswerFromViews } from '../positions/views-behind.interceptor.js';
import { type TicketsQuery, ticketPage, ticketsQuery } from './sagas.schemas.js';
import { SagasService } from './sagas.service.js';

/** `/v1/saga-tickets`: sagas that need a person. */
@ApiTags('sagas')
@Controller('v1/saga-tickets')
export class SagaTicketsController {
  constructor(private readonly sagas: SagasService) {}

  @Get()
  @Roles('operator', 'auditor')
  @ApiOperation({ summary: 'List the tickets of sagas, newest first: what happened, and what may be done' })
  @AnswerFromViews(ticketPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: ticketsQuery }) query: TicketsQuery) {
    return this.sagas.tickets(tenant_id, query);
  }
}
