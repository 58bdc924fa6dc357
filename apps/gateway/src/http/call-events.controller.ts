import { type CallState, statusOf, terminalStatuses } from '@countersign/domain';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Caller } from '../identity/authenticator.js';
import { Readable } from '../personal/readable.js';
import { newestFact } from '../waiting/state-hlc.js';
import { CallStream } from './call-stream.js';
import { Face } from './face.js';
import { KnownCalls } from './known-calls.js';
import { Problem } from './problem.js';
import { type HttpReply, type HttpRequest, headerOf, sendAnswer, sendProblem } from './reply.js';

const STREAMS_MAX = 5_000;

/** `GET /v1/calls/{call_id}/events`: server-sent events; `Last-Event-ID` goes on where a broken stream ended. */
@Controller('v1/calls')
export class CallEventsController {
  private open = 0;

  constructor(
    private readonly face: Face,
    private readonly calls: KnownCalls,
    private readonly readable: Readable,
  ) {}

  @Get(':call_id/events')
  async events(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const caller = this.face.admit(request, []);
    try {
      const { call_id } = request.params as { call_id: string };
      if (caller instanceof Problem) return sendProblem(request, reply, caller);
      const state = await this.calls.find(request, caller.tenant_id, call_id);
      if (state instanceof Problem) this.face.refuse(request, reply, caller, state);
      else if (this.open >= STREAMS_MAX) sendProblem(request, reply, new Problem('unavailable', 'too many open event streams'));
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
    reply.hijack();
    const raw = reply.raw;
    raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    raw.write('retry: 1000\n\n');
    const out = this.readable.stream(caller.tenant_id, { write: (text) => void raw.write(text), end: () => void raw.end() });
    const stream = new CallStream(this.calls.room, out, { call_id: state.call_id, tenant_id: state.tenant_id, reader: caller }, lastId);
    this.open++;
    raw.on('close', () => {
      this.open--;
      stream.end();
    });
    stream.open(state);
  }
}
