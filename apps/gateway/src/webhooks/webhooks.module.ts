import { Module } from '@nestjs/common';
import { CallbackSecretController } from './callback-secret.controller.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** The channels that notifications go to, and the secret of callbacks. */
@Module({ controllers: [CallbackSecretController, WebhooksController], providers: [WebhooksService] })
export class WebhooksModule {}
