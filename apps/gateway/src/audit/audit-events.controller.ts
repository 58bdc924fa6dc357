import type { Caller, Seen } from '@countersign/calls';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { auditEventAnswer, auditEventPage } from './audit-answers.schemas.js';
import { AuditEventsService } from './audit-events.service.js';
import { type AuditListQuery, auditListQuery } from './audit-queries.schemas.js';

/** `/v1/audit/events`: audit events, read from the log. */
@ApiTags('audit')
@Roles('auditor')
@Controller('v1/audit/events')
export class AuditEventsController {
  constructor(private readonly events: AuditEventsService) {}

  @Get()
  @ApiOperation({
    summary: 'List audit events, oldest first',
    description: 'A page reads a bounded part of the log. It can be short or empty and still have a next page.',
  })
  @Answer(auditEventPage)
  list(@CurrentCaller() caller: Caller, @Query({ schema: auditListQuery }) query: AuditListQuery, @SeenPositions() seen: Seen) {
    return this.events.list(caller, query, seen);
  }

  @Get(':event_id')
  @ApiOperation({ summary: 'Read one event with its full content' })
  @Answer(auditEventAnswer)
  read(@CurrentCaller() caller: Caller, @Param('event_id') event_id: string) {
    return this.events.read(caller, event_id);
  }
}
