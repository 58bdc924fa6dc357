import { BatchRun, batchRequest, Calls, dependencyFault, Refusal } from '@countersign/calls';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { parseBody } from '../requests/body-issues.js';
import { waitOf } from '../requests/preferences.js';
import { BatchLines } from './batch-lines.js';
import { Face } from './face.js';
import { type HttpReply, type HttpRequest, headerOf, sendProblem } from './reply.js';

/** `POST /v1/calls:batch`: NDJSON, a line a call as each ends. */
@Controller()
export class BatchController {
  constructor(
    private readonly face: Face,
    private readonly calls: Calls,
  ) {}

  // A double colon is a literal one in Fastify's routes.
  @Post('v1/calls::batch')
  @HttpCode(200)
  submit(@Req() request: HttpRequest, @Res() reply: HttpReply): void {
    const caller = this.face.admit(request, ['agent', 'operator']);
    const body = caller instanceof Refusal ? caller : parseBody(batchRequest, request.body);
    const fault = body instanceof Refusal ? body : dependencyFault(body.calls);
    if (caller instanceof Refusal || body instanceof Refusal || fault) {
      sendProblem(request, reply, fault as Refusal);
      return;
    }
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' });
    const by = {
      caller,
      traceparent: headerOf(request, 'traceparent'),
      wait_ms: waitOf(headerOf(request, 'prefer')),
      span_name: 'POST /v1/calls:batch',
      warns_of_deprecation: false,
    };
    new BatchRun(this.calls, body.calls, by, new BatchLines(reply.raw, (cause) => this.face.problemOf(cause))).start();
  }
}
