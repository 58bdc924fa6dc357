import { Controller, Get, Req, Res } from '@nestjs/common';
import { CallbackSender } from '../callbacks/callback-sender.js';
import { Face } from './face.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

/** `GET /v1/webhooks/secret`: what receivers of callbacks check signatures with (Standard Webhooks). */
@Controller('v1/webhooks/secret')
export class CallbackSecretController {
  constructor(
    private readonly face: Face,
    private readonly sender: CallbackSender,
  ) {}

  @Get()
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) =>
      ok({ secret: this.sender.secretOf(caller.tenant_id) }, { 'cache-control': 'no-store' }),
    );
  }
}
