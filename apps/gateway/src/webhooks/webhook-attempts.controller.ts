import type { Caller } from '@countersign/calls';
import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { webhookAttemptAnswer, webhookAttemptPage } from './webhook-attempts.schemas.js';
import { WebhookAttemptsService } from './webhook-attempts.service.js';

/** Delivery attempts of a channel, and a test on demand. */
@ApiTags('webhooks')
@Roles('operator')
@Controller('v1/webhooks/:webhook_id')
export class WebhookAttemptsController {
  constructor(private readonly attempts: WebhookAttemptsService) {}

  @Get('attempts')
  @ApiOperation({ summary: 'List the attempts to send to a channel, the newest first' })
  @Answer(webhookAttemptPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Param('webhook_id') webhook_id: string, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.attempts.list(tenant_id, webhook_id, query);
  }

  @Post('test')
  @ApiOperation({ summary: 'Send a test notification to a channel, once' })
  @Answer(webhookAttemptAnswer, { description: 'the outcome of the attempt' })
  test(@CurrentCaller() { tenant_id }: Caller, @Param('webhook_id') webhook_id: string) {
    return this.attempts.test(tenant_id, webhook_id);
  }
}
