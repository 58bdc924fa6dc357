import { Controller, Get, Req, Res } from '@nestjs/common';
import { Health } from './health.js';
import { type HttpReply, type HttpRequest, sendAnswer } from './reply.js';

/** `/healthz`, `/readyz`, `/metrics`. */
@Controller()
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('healthz')
  alive(@Req() _request: HttpRequest, @Res() reply: HttpReply): void {
    sendAnswer(reply, { status: 200, body: { status: 'alive' } });
  }

  @Get('readyz')
  ready(@Req() _request: HttpRequest, @Res() reply: HttpReply): void {
    const { status } = this.health;
    sendAnswer(
      reply,
      status === 'ready' ? { status: 200, body: { status } } : { status: 503, body: { status }, headers: { 'retry-after': '1' } },
    );
  }

  @Get('metrics')
  async metrics(@Req() _request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const text = await this.health.metrics.metrics();
    reply.header('content-type', this.health.metrics.contentType).send(text);
  }
}
