import { type Caller, Calls, hasNews, Refusal } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { CallStream } from './call-stream.js';
import { Face } from './face.js';
import { OpenStreams } from './open-streams.js';
import { seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, headerOf, sendAnswer, sendProblem } from './reply.js';

/** `GET /v1/calls/{call_id}/events`: server-sent events; `Last-Event-ID` goes on where a broken stream ended. */
@Controller('v1/calls')
export class CallEventsController {
  constructor(
    private readonly face: Face,
    private readonly calls: Calls,
    private readonly streams: OpenStreams,
  ) {}

  @Get(':call_id/events')
  async events(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const caller = this.face.admit(request, []);
    try {
      const { call_id } = request.params as { call_id: string };
      if (caller instanceof Refusal) return sendProblem(request, reply, caller);
      const state = await this.calls.find({ caller, call_id, seen: seenOf(request) });
      if (state instanceof Refusal) this.face.refuse(request, reply, caller, state);
      else this.stream(request, reply, state, caller);
    } catch (cause) {
      this.face.fault(request, reply, cause);
    }
  }

  private stream(request: HttpRequest, reply: HttpReply, state: CallState, caller: Caller): void {
    const seen = Number(headerOf(request, 'last-event-id') ?? 0);
    const lastId = Number.isSafeInteger(seen) && seen > 0 ? seen : 0;
    // 204 tells an EventSource not to come again.
    if (!hasNews(state, lastId)) {
      sendAnswer(reply, { status: 204 });
      return;
    }
    const out = this.streams.open(request, reply, caller, 'call');
    if (out instanceof Refusal) sendProblem(request, reply, out);
    else out?.whenLeft(this.calls.follow(state, lastId, new CallStream(out, caller)));
  }
}
