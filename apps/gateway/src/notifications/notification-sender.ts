import { setTimeout as sleep } from 'node:timers/promises';
import type { Webhook } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { ChannelDelivery, DeliveryOutcome } from './channel-delivery.js';
import type { Notification } from './notification.js';
import type { NotificationTargets } from './notification-targets.js';

/** Pauses before the second and later attempts, ms: about four hours in all. */
const BACK_OFF_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000];
/** Pause before the next check of a delivery that another gateway has claimed, ms. */
const LOOK_AGAIN_MS = 2_000;
const CLOSE_WITHIN_MS = 1_000;
const SENDING_MAX = 32;
const WAITING_MAX = 10_000;

interface Delivery {
  notification: Notification;
  webhook_id: string;
  attempt: number;
  /** Called when all its deliveries have ended. */
  settle: () => void;
}

/**
 * Sends each notification to every subscribed channel of its tenant under one id, with growing pauses between attempts, at most 32 at a
 * time. One gateway sends it, once. Another gateway repeats it only if the first one crashes after the channel's response and before it
 * stores the outcome.
 */
export class NotificationSender {
  private readonly waiting: Delivery[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly under_way = new Set<Promise<void>>();
  private closed = false;
  private blocked: (() => void)[] = [];

  constructor(
    private readonly targets: NotificationTargets,
    private readonly channel: ChannelDelivery,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Resolves once every subscribed channel has accepted it or delivery was given up. Never resolves if the gateway closes before. */
  async send(notification: Notification): Promise<void> {
    await Promise.all(this.targets.wanting(notification).map((webhook_id) => this.sendTo(notification, webhook_id)));
  }

  /** Resolves when the queue is short enough to read on. */
  async hasCapacity(): Promise<void> {
    while (this.waiting.length + this.timers.size > WAITING_MAX && !this.closed)
      await new Promise<void>((resolve) => this.blocked.push(resolve));
  }

  /** Other gateways send pending notifications, or this one does after its next start. */
  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.waiting.length = 0;
    this.unblock();
    const ended = Promise.all(this.under_way).then(() => this.channel.release());
    await Promise.race([ended.catch(() => undefined), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }

  private sendTo(notification: Notification, webhook_id: string): Promise<void> {
    return new Promise((settle) => {
      this.waiting.push({ notification, webhook_id, attempt: 0, settle });
      this.startWaiting();
    });
  }

  private startWaiting(): void {
    while (this.under_way.size < SENDING_MAX && !this.closed) {
      const delivery = this.waiting.shift();
      if (!delivery) return;
      const sent = this.deliver(delivery).finally(() => {
        this.under_way.delete(sent);
        this.unblock();
        this.startWaiting();
      });
      this.under_way.add(sent);
    }
  }

  private async deliver(delivery: Delivery): Promise<void> {
    const { notification, webhook_id, attempt } = delivery;
    const webhook = this.targets.find(notification.tenant_id, webhook_id);
    if (webhook?.state !== 'active') return delivery.settle();
    try {
      const round = { attempt: attempt + 1, pause_ms: BACK_OFF_MS[attempt] };
      await this.conclude(delivery, webhook, await this.channel.attempt(notification, webhook, round));
    } catch (cause) {
      this.logger.warn({ event: 'notification_failed', webhook_id, cause: String(cause) }, 'a notification could not be sent');
      await this.retry(delivery);
    }
  }

  private async conclude(delivery: Delivery, webhook: Webhook, outcome: DeliveryOutcome): Promise<void> {
    if (outcome === 'failed') return this.retry(delivery);
    if (outcome === 'claimed_by_another') return this.later(delivery, LOOK_AGAIN_MS);
    if (this.closed) return;
    if (outcome === 'refused') await this.refused(delivery, webhook);
    delivery.settle();
  }

  private async refused({ notification: { tenant_id, type } }: Delivery, webhook: Webhook): Promise<void> {
    const { webhook_id } = webhook;
    this.logger.warn({ event: 'notification_refused', webhook_id, type }, 'a channel refused a notification');
    if (webhook.channel !== 'mail') await this.targets.disable(tenant_id, webhook);
  }

  private async retry(delivery: Delivery): Promise<void> {
    const { notification, webhook_id, attempt } = delivery;
    const pause_ms = BACK_OFF_MS[attempt];
    if (this.closed) return;
    if (pause_ms === undefined) {
      const { type } = notification;
      this.logger.warn({ event: 'notification_given_up', webhook_id, type }, 'gave up on a notification: its channel does not respond');
      await this.channel.giveUp(notification, webhook_id);
      return delivery.settle();
    }
    this.later({ ...delivery, attempt: attempt + 1 }, pause_ms);
    await this.channel.holdFor(pause_ms, notification, webhook_id);
  }

  private later(delivery: Delivery, pause_ms: number): void {
    if (this.closed) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.waiting.push(delivery);
      this.startWaiting();
    }, pause_ms);
    timer.unref();
    this.timers.add(timer);
  }

  private unblock(): void {
    const { blocked } = this;
    this.blocked = [];
    for (const resolve of blocked) resolve();
  }
}
