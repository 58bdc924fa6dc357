import { Refusal } from '@countersign/calls';
import { readinessBody } from '@countersign/process';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { Face } from './face.js';
import { Health } from './health.js';
import { type HttpReply, type HttpRequest, sendAnswer, sendProblem } from './reply.js';

/** `/healthz`, `/readyz`, `/metrics`. Metrics are of all tenants: only for this machine, the metrics token and auditors. */
@Controller()
export class HealthController {
  constructor(
    private readonly health: Health,
    private readonly face: Face,
  ) {}

  @Get('healthz')
  alive(@Req() _request: HttpRequest, @Res() reply: HttpReply): void {
    sendAnswer(reply, { status: 200, body: { status: 'alive' } });
  }

  @Get('readyz')
  async ready(@Req() _request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const { status } = this.health;
    const body = readinessBody(status, await this.health.packs.unhealthy());
    sendAnswer(
      reply,
      status === 'ready' || status === 'tampered' ? { status: 200, body } : { status: 503, body, headers: { 'retry-after': '1' } },
    );
  }

  @Get('metrics')
  async metrics(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const { raw, headers } = request;
    if (!this.health.metrics_access.admits(raw.socket.remoteAddress, headers)) {
      const caller = this.face.admit(request, ['auditor']);
      if (caller instanceof Refusal) return sendProblem(request, reply, caller);
    }
    const text = await this.health.metrics.metrics();
    reply.header('content-type', this.health.metrics.contentType).send(text);
  }
}
