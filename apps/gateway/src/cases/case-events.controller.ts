import { type Caller, Refusal, type Seen, Views } from '@countersign/calls';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type HttpReply, type HttpRequest, headerOf } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { EventStreamAnswer } from '../streams/event-stream.decorator.js';
import { OpenStreams } from '../streams/open-streams.js';
import { CaseFeeds } from './case-feed.js';
import { CaseStream } from './case-stream.js';
import { CasesService } from './cases.service.js';

/** `GET /v1/cases/{case_id}/events`: streams new lines of the case history; `Last-Event-ID` resumes a stream. */
@ApiTags('cases')
@Controller('v1/cases')
export class CaseEventsController {
  constructor(
    private readonly cases: CasesService,
    private readonly views: Views,
    private readonly streams: OpenStreams,
    private readonly feeds: CaseFeeds,
  ) {}

  @Get(':case_id/events')
  @Roles()
  @ApiOperation({ summary: 'Stream the timeline of a case' })
  @EventStreamAnswer()
  async events(
    @CurrentCaller() caller: Caller,
    @Param('case_id') case_id: string,
    @SeenPositions() seen: Seen,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ) {
    const missing = await this.cases.missing(caller.tenant_id, case_id, seen);
    return missing ?? this.stream(request, reply, caller, case_id);
  }

  private stream(request: HttpRequest, reply: HttpReply, caller: Caller, case_id: string): Refusal<string> | undefined {
    const of = { tenant_id: caller.tenant_id, case_id };
    if (!this.feeds.hasCapacity(of))
      return new Refusal('unavailable', 'this gateway streams too many cases: retry later', { reason: 'too_many_case_streams' });
    const out = this.streams.open(request, reply, caller, 'case');
    if (!out || out instanceof Refusal) return out;
    const stream = new CaseStream(this.views.store, out, { ...of, reader: caller }, headerOf(request, 'last-event-id'));
    void this.feeds.open(stream, of, (leave) => out.whenLeft(leave));
    return undefined;
  }
}
