import type { Caller } from '@countersign/calls';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { EventStreamAnswer } from '../streams/event-stream.decorator.js';
import { type ApprovalEventsQuery, approvalEventsQuery } from './events.schemas.js';
import { EventsService } from './events.service.js';

/** `GET /v1/approvals/events`: approval requests as they change, as server-sent events; `Last-Event-ID` resumes a stream. */
@ApiTags('approvals')
@Controller('v1/approvals')
export class ApprovalEventsController {
  constructor(private readonly events: EventsService) {}

  @Get('events')
  @Roles()
  @ApiOperation({ summary: 'Stream approvals as they are requested, voted on and ended' })
  @EventStreamAnswer()
  stream(
    @CurrentCaller() caller: Caller,
    @Query({ schema: approvalEventsQuery }) { cursor }: ApprovalEventsQuery,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ) {
    return this.events.approvals({ request, reply, caller }, cursor);
  }
}
