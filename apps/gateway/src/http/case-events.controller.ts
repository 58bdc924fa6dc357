import { type Caller, Refusal, Views, viewsBehind } from '@countersign/calls';
import { readCase } from '@countersign/store';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { CaseFeeds } from './case-feed.js';
import { CaseStream } from './case-stream.js';
import { Face } from './face.js';
import { OpenStreams } from './open-streams.js';
import { seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, headerOf, sendProblem } from './reply.js';

/** `GET /v1/cases/{case_id}/events`: the lines of its history as they come; `Last-Event-ID` goes on where a stream ended. */
@Controller('v1/cases')
export class CaseEventsController {
  constructor(
    private readonly face: Face,
    private readonly views: Views,
    private readonly streams: OpenStreams,
    private readonly feeds: CaseFeeds,
  ) {}

  @Get(':case_id/events')
  async events(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const caller = this.face.admit(request, []);
    try {
      if (caller instanceof Refusal) return sendProblem(request, reply, caller);
      const { case_id } = request.params as { case_id: string };
      const current = await this.views.current(seenOf(request));
      if (!(await readCase(this.views.store, caller.tenant_id, case_id)))
        return sendProblem(request, reply, current ? new Refusal('not-found', 'there is no case of this id') : viewsBehind());
      this.stream(request, reply, caller, case_id);
    } catch (cause) {
      this.face.fault(request, reply, cause);
    }
  }

  private stream(request: HttpRequest, reply: HttpReply, caller: Caller, case_id: string): void {
    const of = { tenant_id: caller.tenant_id, case_id };
    const full = new Refusal('unavailable', 'this gateway streams too many cases at once; try again');
    const out = this.feeds.hasRoom(of) ? this.streams.open(request, reply, caller, 'case') : full;
    if (out instanceof Refusal) sendProblem(request, reply, out);
    else if (out) {
      const stream = new CaseStream(this.views.store, out, { ...of, reader: caller }, headerOf(request, 'last-event-id'));
      void this.feeds.open(stream, of, (leave) => out.whenLeft(leave));
    }
  }
}
