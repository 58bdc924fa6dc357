import { type Caller, Calls, hasNews, Refusal, type Seen } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type HttpReply, type HttpRequest, headerOf } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { EventStreamAnswer } from '../streams/event-stream.decorator.js';
import { OpenStreams } from '../streams/open-streams.js';
import { CallStream } from './call-stream.js';

/** `GET /v1/calls/{call_id}/events`: server-sent events; `Last-Event-ID` resumes a broken stream. */
@ApiTags('calls')
@Controller('v1/calls')
export class CallEventsController {
  constructor(
    private readonly calls: Calls,
    private readonly streams: OpenStreams,
  ) {}

  @Get(':call_id/events')
  @Roles()
  @ApiOperation({ summary: 'Follow a call' })
  @EventStreamAnswer()
  async events(
    @CurrentCaller() caller: Caller,
    @Param('call_id') call_id: string,
    @SeenPositions() seen: Seen,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ) {
    const state = await this.calls.find({ caller, call_id, seen });
    return state instanceof Refusal ? state : this.stream(request, reply, state, caller);
  }

  private stream(request: HttpRequest, reply: HttpReply, state: CallState, caller: Caller): Refusal<string> | undefined {
    const seen = Number(headerOf(request, 'last-event-id') ?? 0);
    const lastId = Number.isSafeInteger(seen) && seen > 0 ? seen : 0;
    // 204 stops an EventSource from reconnecting.
    if (!hasNews(state, lastId)) {
      reply.code(204).send();
      return undefined;
    }
    const out = this.streams.open(request, reply, caller, 'call');
    if (out instanceof Refusal) return out;
    out?.whenLeft(this.calls.follow(state, lastId, new CallStream(out, caller)));
    return undefined;
  }
}
