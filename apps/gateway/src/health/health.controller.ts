import { Refusal } from '@countersign/calls';
import { readinessBody } from '@countersign/process';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../http/access.decorator.js';
import { AlsoAnswers, Answer, AnswersIn } from '../http/answer.decorator.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { RequestAccess } from '../http/request-access.js';
import { alive, readiness } from './health.schemas.js';
import { HealthService } from './health.service.js';

/** `/healthz`, `/readyz`, `/metrics`. Metrics cover all tenants: only for localhost, the metrics token and auditors. */
@ApiTags('health')
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthService,
    private readonly access: RequestAccess,
  ) {}

  @Get('healthz')
  @Public()
  @ApiOperation({ summary: 'Alive' })
  @Answer(alive)
  alive() {
    return { status: 'alive' };
  }

  @Get('readyz')
  @Public()
  @ApiOperation({ summary: 'Caught up' })
  @Answer(readiness)
  @AlsoAnswers(503, readiness, 'the gateway is not ready')
  async ready(@Res({ passthrough: true }) reply: HttpReply) {
    const { status } = this.health;
    if (status !== 'ready' && status !== 'tampered') reply.code(503).header('retry-after', '1');
    return readinessBody(status, await this.health.packs.unhealthy());
  }

  @Get('metrics')
  @Public()
  @ApiOperation({ summary: 'Prometheus metrics: on loopback, with the metrics token, or for auditors' })
  @AnswersIn('text/plain', 'metrics in the Prometheus text format')
  async metrics(@Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply) {
    if (!this.health.metrics_access.admits(request.raw.socket.remoteAddress, request.headers)) {
      const caller = this.access.admit(request, ['auditor']);
      if (caller instanceof Refusal) return caller;
    }
    reply.header('content-type', this.health.metrics.contentType);
    return this.health.metrics.metrics();
  }
}
