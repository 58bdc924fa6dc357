import type { Webhook } from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import { addWebhookAttempt, type Cursor, listWebhookAttempts, type Store, type WebhookAttempt } from '@countersign/store';
import type { SendResult } from '../callbacks/send-result.js';
import type { Channels } from './channels.js';
import type { Notification } from './notification.js';

/** The number of the attempt, from 1, and the pause before the next one if this one fails; undefined: it is the last. */
export interface Round {
  attempt: number;
  pause_ms: number | undefined;
}

/** Sends notifications and stores the outcome of each attempt, without the content. */
export class RecordedChannels {
  constructor(
    private readonly channels: Pick<Channels, 'send'>,
    private readonly store: Pick<Store, 'query'>,
    private readonly clock: Pick<Clock, 'now_ms' | 'monotonic_ms'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  async send(webhook: Webhook, notification: Notification, round: Round): Promise<SendResult> {
    return (await this.attempt(webhook, notification, round)).result;
  }

  /** As `send`, but also returns what is stored about the attempt. */
  async attempt(
    webhook: Webhook,
    notification: Notification,
    { attempt, pause_ms }: Round,
  ): Promise<{ result: SendResult; kept: WebhookAttempt }> {
    const [at_ms, started_ms] = [this.clock.now_ms(), this.clock.monotonic_ms()];
    const result = await this.channels.send(webhook, notification);
    const { status, error, taken } = result;
    const { id: message_id, tenant_id, type } = notification;
    const { webhook_id } = webhook;
    const duration_ms = Math.round(this.clock.monotonic_ms() - started_ms);
    const next_attempt_at_ms = taken === 'try_again' && pause_ms !== undefined ? this.clock.now_ms() + pause_ms : null;
    const kept = { tenant_id, webhook_id, message_id, type, attempt, at_ms, duration_ms, status, error, next_attempt_at_ms };
    await this.keep(kept);
    return { result, kept };
  }

  /** Stored attempts of a channel, newest first. */
  attempts(tenant_id: string, webhook_id: string, place: { limit: number; after?: Cursor }) {
    return listWebhookAttempts(this.store, { tenant_id, webhook_id }, place);
  }

  /** An attempt counts even if its outcome cannot be stored. */
  private async keep(attempt: WebhookAttempt): Promise<void> {
    try {
      await addWebhookAttempt(this.store, attempt);
    } catch (err) {
      const { webhook_id } = attempt;
      this.logger.warn({ event: 'webhook_attempt_not_stored', webhook_id, err }, 'could not store an attempt to send a notification');
    }
  }
}
