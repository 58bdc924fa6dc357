import { batchRequest, Refusal } from '@countersign/calls';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { dependencyFault } from './batch-order.js';
import { BatchRun } from './batch-run.js';
import { parseBody } from './body-issues.js';
import { CallIntake } from './call-intake.js';
import { Face } from './face.js';
import { waitOf } from './preferences.js';
import { type HttpReply, type HttpRequest, headerOf, sendProblem } from './reply.js';

/** `POST /v1/calls:batch`: NDJSON, a line a call as each ends. */
@Controller()
export class BatchController {
  constructor(
    private readonly face: Face,
    private readonly intake: CallIntake,
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
      fault: (cause: unknown) => this.face.problemOf(cause),
    };
    const out = { line: (text: string) => void reply.raw.write(`${text}\n`), end: () => void reply.raw.end() };
    new BatchRun(this.intake, body.calls, by, out).start();
  }
}
