import { Module } from '@nestjs/common';
import { CallbackSecretController } from './callback-secret.controller.js';
import { WebhookAttemptsController } from './webhook-attempts.controller.js';
import { WebhookAttemptsService } from './webhook-attempts.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** Webhooks that receive notifications, and the signing secret of callbacks. */
@Module({
  controllers: [CallbackSecretController, WebhookAttemptsController, WebhooksController],
  providers: [WebhookAttemptsService, WebhooksService],
})
export class WebhooksModule {}
