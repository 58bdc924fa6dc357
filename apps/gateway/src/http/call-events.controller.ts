import { type Caller, newestFact, Refusal } from '@countersign/calls';
import { type CallState, statusOf, terminalStatuses } from '@countersign/domain';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { CallFeeds } from './call-feed.js';
import { CallStream } from './call-stream.js';
import { Face } from './face.js';
import { KnownCalls } from './known-calls.js';
import { OpenStreams } from './open-streams.js';
import { type HttpReply, type HttpRequest, headerOf, sendAnswer, sendProblem } from './reply.js';

/** `GET /v1/calls/{call_id}/events`: server-sent events; `Last-Event-ID` goes on where a broken stream ended. */
@Controller('v1/calls')
export class CallEventsController {
  constructor(
    private readonly face: Face,
    private readonly calls: KnownCalls,
    private readonly streams: OpenStreams,
    private readonly feeds: CallFeeds,
  ) {}

  @Get(':call_id/events')
  async events(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const caller = this.face.admit(request, []);
    try {
      const { call_id } = request.params as { call_id: string };
      if (caller instanceof Refusal) return sendProblem(request, reply, caller);
      const state = await this.calls.find(request, caller.tenant_id, call_id);
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
    if (terminalStatuses.has(statusOf(state)) && newestFact(state).hlc <= lastId) {
      sendAnswer(reply, { status: 204 });
      return;
    }
    const out = this.streams.open(request, reply, caller, 'call');
    if (out instanceof Refusal) sendProblem(request, reply, out);
    else out?.whenLeft(this.feeds.join(state, new CallStream(out, caller, lastId)));
  }
}
