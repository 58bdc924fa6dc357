import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { changedWebhook, type WebhookRequest, webhookAnswer, webhookPage, webhookRequest } from './webhooks.schemas.js';
import { type TaggedWebhook, WebhooksService } from './webhooks.service.js';

/** `/v1/webhooks`: the channels that receive notifications. */
@ApiTags('webhooks')
@Roles('operator')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @ApiOperation({ summary: 'List channels' })
  @Answer(webhookPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.webhooks.list(tenant_id, query);
  }

  @Get(':webhook_id')
  @ApiOperation({ summary: 'Read a channel' })
  @Answer(webhookAnswer)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('webhook_id') webhook_id: string, @Res({ passthrough: true }) reply: HttpReply) {
    const found = this.webhooks.read(tenant_id, webhook_id);
    if (found instanceof Refusal) return found;
    reply.header('etag', found.etag);
    return found.webhook;
  }

  @Post()
  @ApiOperation({ summary: 'Add a channel' })
  @Answer(changedWebhook, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: webhookRequest }) body: WebhookRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return changed(await this.webhooks.create(caller, body, { headers }), reply);
  }

  @Put(':webhook_id')
  @Edit()
  @ApiOperation({ summary: 'Change a channel' })
  @Answer(changedWebhook)
  async change(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') webhook_id: string,
    @Body({ schema: webhookRequest }) body: WebhookRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return changed(await this.webhooks.change(caller, webhook_id, body, { headers }), reply);
  }

  @Delete(':webhook_id')
  @Edit()
  @ApiOperation({ summary: 'Remove a channel' })
  @NoAnswer()
  async remove(@CurrentCaller() caller: Caller, @Param('webhook_id') webhook_id: string, @Headers() headers: IncomingHttpHeaders) {
    const removed = await this.webhooks.remove(caller, webhook_id, { headers });
    return removed instanceof Refusal ? removed : undefined;
  }
}

/** A channel after a change. It must not be cached: it may contain the secret. */
function changed(written: TaggedWebhook | Refusal, reply: HttpReply): TaggedWebhook['webhook'] | Refusal {
  if (written instanceof Refusal) return written;
  const { webhook, etag } = written;
  reply.headers({ 'cache-control': 'no-store', location: `/v1/webhooks/${webhook.webhook_id}`, etag });
  return webhook;
}
