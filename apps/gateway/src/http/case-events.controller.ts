import { readCase } from '@countersign/store';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Caller } from '../identity/authenticator.js';
import { Readable } from '../personal/readable.js';
import { CaseStream } from './case-stream.js';
import { Face } from './face.js';
import { Problem } from './problem.js';
import { type HttpReply, type HttpRequest, headerOf, sendProblem } from './reply.js';
import { Views, viewsBehind } from './views.js';

/** Each looks into the database four times a second. */
const STREAMS_MAX = 500;

/** `GET /v1/cases/{case_id}/events`: the lines of its history as they come; `Last-Event-ID` goes on where a stream ended. */
@Controller('v1/cases')
export class CaseEventsController {
  private open = 0;

  constructor(
    private readonly face: Face,
    private readonly views: Views,
    private readonly readable: Readable,
  ) {}

  @Get(':case_id/events')
  async events(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const caller = this.face.admit(request, []);
    try {
      if (caller instanceof Problem) return sendProblem(request, reply, caller);
      const { case_id } = request.params as { case_id: string };
      const current = await this.views.current(request);
      if (!(await readCase(this.views.store, caller.tenant_id, case_id)))
        return sendProblem(request, reply, current ? new Problem('not-found', 'there is no case of this id') : viewsBehind());
      if (this.open >= STREAMS_MAX) return sendProblem(request, reply, new Problem('unavailable', 'too many open event streams'));
      this.stream(request, reply, caller, case_id);
    } catch (cause) {
      this.face.fault(request, reply, cause);
    }
  }

  private stream(request: HttpRequest, reply: HttpReply, caller: Caller, case_id: string): void {
    reply.hijack();
    const raw = reply.raw;
    raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    raw.write('retry: 1000\n\n');
    const out = this.readable.stream(caller.tenant_id, { write: (text) => void raw.write(text), end: () => void raw.end() });
    const of = { tenant_id: caller.tenant_id, case_id, reader: caller };
    const stream = new CaseStream(this.views.store, out, of, headerOf(request, 'last-event-id'));
    this.open++;
    raw.on('close', () => {
      this.open--;
      stream.close();
    });
    void stream.open();
  }
}
