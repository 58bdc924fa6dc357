import { Refusal } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import type { WebhookAttempt } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { isoOf } from '../answers/shared-schemas.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import type { Notification } from '../notifications/notification.js';
import { RecordedChannels } from '../notifications/recorded-channels.js';
import type { WebhookAttemptAnswer } from './webhook-attempts.schemas.js';
import { noSuchWebhook } from './webhooks.service.js';

const running = (): Refusal => new Refusal('conflict', 'a test of this tenant is running: retry later', { reason: 'webhook_test_running' });

function answerOf({ message_id, type, attempt, at_ms, duration_ms, status, error, next_attempt_at_ms }: WebhookAttempt) {
  const next_attempt_at = isoOf(next_attempt_at_ms);
  return {
    message_id,
    type,
    attempt,
    at: new Date(at_ms).toISOString(),
    duration_ms,
    status,
    error,
    next_attempt_at,
  } as WebhookAttemptAnswer;
}

/** Delivery attempts of a channel. */
@Injectable()
export class WebhookAttemptsService {
  /** Tenants with a running test: at most one each. */
  private readonly testing = new Set<string>();

  constructor(
    private readonly configuration: ConfigurationService,
    private readonly channels: RecordedChannels,
  ) {}

  async list(tenant_id: string, webhook_id: string, query: PageQuery): Promise<Page<WebhookAttemptAnswer> | Refusal> {
    if (!this.find(tenant_id, webhook_id)) return noSuchWebhook();
    const { items, next_cursor } = await this.channels.attempts(tenant_id, webhook_id, placeOf(query));
    return { items: items.map(answerOf), next_cursor };
  }

  /** Sends one message regardless of the types and state of the channel, so that a channel can be tested before it is enabled. */
  async test(tenant_id: string, webhook_id: string): Promise<WebhookAttemptAnswer | Refusal> {
    const webhook = this.find(tenant_id, webhook_id);
    if (!webhook) return noSuchWebhook();
    if (this.testing.has(tenant_id)) return running();
    this.testing.add(tenant_id);
    try {
      const { kept } = await this.channels.attempt(webhook, this.notification(tenant_id), { attempt: 1, pause_ms: undefined });
      return answerOf(kept);
    } finally {
      this.testing.delete(tenant_id);
    }
  }

  /** A test has no decision link. */
  private notification(tenant_id: string): Notification {
    const timestamp_ms = this.configuration.clock.now_ms();
    const title = 'A test of this channel';
    return { id: uuidv7(timestamp_ms), tenant_id, type: 'webhook.test', title, timestamp_ms, data: {}, decides: null };
  }

  private find(tenant_id: string, webhook_id: string) {
    return this.configuration.state.by_tenant.get(tenant_id)?.webhooks.get(webhook_id);
  }
}
