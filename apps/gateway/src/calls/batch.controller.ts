import { type BatchRequest, BatchRun, batchRequest, type Caller, Calls, dependencyFault } from '@countersign/calls';
import { Body, Controller, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { AnswersIn } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type HttpReply, type HttpRequest, headerOf } from '../http/reply.js';
import { RequestAccess } from '../http/request-access.js';
import { REQUEST_ID_ATTRIBUTE, requestIdOf } from '../http/request-id.js';
import { waitOf } from '../requests/preferences.js';
import { BatchLines } from './batch-lines.js';
import { SUBMITTERS } from './call-posts.service.js';
import { type BatchQuery, batchQuery } from './calls.schemas.js';

/** `POST /v1/calls:batch`: NDJSON, one line per call, in order of completion or of the request. */
@ApiTags('calls')
@Controller()
export class BatchController {
  constructor(
    private readonly access: RequestAccess,
    private readonly calls: Calls,
  ) {}

  // In Fastify's routes a double colon is a literal colon.
  @Post('v1/calls::batch')
  @Roles(...SUBMITTERS)
  @ApiOperation({ summary: 'Submit many calls' })
  @AnswersIn(
    'application/x-ndjson',
    'one line for each call: `{"index","call"}` or `{"index","problem"}`; `index` is its position in `calls`',
  )
  submit(
    @CurrentCaller() caller: Caller,
    @Body({ schema: batchRequest }) { calls }: BatchRequest,
    @Query({ schema: batchQuery }) { order }: BatchQuery,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ) {
    const fault = dependencyFault(calls);
    if (fault) return fault;
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' });
    const by = {
      caller,
      traceparent: headerOf(request, 'traceparent'),
      wait_ms: waitOf(headerOf(request, 'prefer')),
      span_name: 'POST /v1/calls:batch',
      span_attributes: { [REQUEST_ID_ATTRIBUTE]: requestIdOf(request.raw) },
      warns_of_deprecation: false,
    };
    const lines = new BatchLines(reply.raw, (cause) => this.access.problemOf(cause, request), order);
    new BatchRun(this.calls, calls, by, lines).start();
    return undefined;
  }
}
