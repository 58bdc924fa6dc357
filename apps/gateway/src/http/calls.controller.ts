import { type Caller, Calls, callRequest, envelopeText, Refusal, seenBy, statuses } from '@countersign/calls';
import { unpackCall } from '@countersign/domain';
import { listCalls } from '@countersign/store';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import { waitOf } from '../requests/preferences.js';
import { readingHeaders } from './call-reading.js';
import { Face } from './face.js';
import { listed } from './lists.js';
import { behindHeader, seenOf } from './positions.js';
import { PostReply } from './post-reply.js';
import {
  type Answer,
  type HttpReply,
  type HttpRequest,
  headerOf,
  type IncomingRequest,
  type OutgoingReply,
  okText,
  sendProblem,
} from './reply.js';

export const callFilters = {
  status: z.enum(statuses).optional(),
  case_id: z.string().min(1).max(100).optional(),
  run_id: z.string().min(1).max(200).optional(),
  tool: z.string().min(1).max(128).optional(),
};

/** `/v1/calls`: submit, read, list. */
@Controller('v1/calls')
export class CallsController {
  constructor(
    private readonly face: Face,
    private readonly calls: Calls,
  ) {}

  @Post()
  @HttpCode(200)
  submit(@Req() request: IncomingRequest, @Res() reply: OutgoingReply): void | Promise<void> {
    const caller = this.face.admit(request, ['agent', 'operator']);
    try {
      if (caller instanceof Refusal) sendProblem(request, reply, caller);
      else return this.post(request, reply, caller)?.catch((cause) => this.face.fault(request, reply, cause));
    } catch (cause) {
      this.face.fault(request, reply, cause);
    }
  }

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller): Promise<Answer | Refusal> => {
      const query = listed(request, callFilters);
      if (query instanceof Refusal) return query;
      const { views } = this.calls.recorded;
      const told = await behindHeader(views, request);
      const page = await listCalls(views.store, { tenant_id: caller.tenant_id, ...query });
      const items = page.items.map((row) => envelopeText(seenBy(unpackCall(row.state), caller)));
      return okText(`{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(page.next_cursor)}}`, told);
    });
  }

  @Get(':call_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const { call_id } = request.params as { call_id: string };
      const reading = await this.calls.status({ caller, call_id, seen: seenOf(request) });
      return reading instanceof Refusal ? reading : okText(reading.envelope, readingHeaders(reading));
    });
  }

  private post(request: IncomingRequest, reply: OutgoingReply, caller: Caller): void | Promise<void> {
    const parsed = parseBody(callRequest, request.body);
    if (parsed instanceof Refusal) return sendProblem(request, reply, parsed);
    const by = {
      caller,
      idempotency_key: headerOf(request, 'idempotency-key'),
      traceparent: headerOf(request, 'traceparent'),
      wait_ms: waitOf(headerOf(request, 'prefer')),
      span_name: 'POST /v1/calls',
      warns_of_deprecation: true,
    };
    return this.calls.submit(parsed, by, new PostReply(request, reply, this.face, caller));
  }
}
