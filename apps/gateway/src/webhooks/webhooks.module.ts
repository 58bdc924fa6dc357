import { Module } from '@nestjs/common';
import { CallbackSecretController } from './callback-secret.controller.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** Webhooks that receive notifications, and the signing secret of callbacks. */
@Module({ controllers: [CallbackSecretController, WebhooksController], providers: [WebhooksService] })
export class WebhooksModule {}
