import type { Caller } from '@countersign/calls';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { EventStreamAnswer } from '../streams/event-stream.decorator.js';
import { type EventsQuery, eventsQuery } from './events.schemas.js';
import { EventsService } from './events.service.js';

/** `GET /v1/events`: what changes in the tenant, as server-sent events; `Last-Event-ID` resumes a stream. */
@ApiTags('events')
@Controller('v1/events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'Stream the changes of the tenant that the caller may list' })
  @EventStreamAnswer()
  stream(
    @CurrentCaller() caller: Caller,
    @Query({ schema: eventsQuery }) { kinds, cursor }: EventsQuery,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ) {
    return this.events.changes({ request, reply, caller }, kinds, cursor);
  }
}
