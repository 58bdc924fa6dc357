import type { Caller } from '@countersign/calls';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CallbackSender } from '../callbacks/callback-sender.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { callbackSecretAnswer } from './webhooks.schemas.js';

/** `GET /v1/webhooks/secret`: the secret with which receivers verify callbacks (Standard Webhooks). */
@ApiTags('keys')
@Controller('v1/webhooks/secret')
export class CallbackSecretController {
  constructor(private readonly sender: CallbackSender) {}

  @Get()
  @Roles('operator')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Read the secret of callback signatures' })
  @Answer(callbackSecretAnswer)
  read(@CurrentCaller() { tenant_id }: Caller) {
    return { secret: this.sender.secretOf(tenant_id) };
  }
}
