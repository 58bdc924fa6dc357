import type { Readable } from '@countersign/calls';
import type { Webhook } from '@countersign/domain';
import type { Notification } from './notification.js';
import type { NotificationClaims } from './notification-claims.js';
import type { NotificationTargets } from './notification-targets.js';
import type { RecordedChannels, Round } from './recorded-channels.js';

/** Longer than the response time of any channel, ms. */
const CLAIMED_FOR_MS = 60_000;
/** A pause longer than this is not claimed: another gateway may continue, ms. */
const PAUSE_CLAIMED_MAX_MS = 120_000;

/**
 * Outcome of one attempt: `settled` (the channel has it, now or before), `refused` (the channel will never accept it),
 * `failed` (worth another attempt), `claimed_by_another` (another gateway is sending it).
 */
export type DeliveryOutcome = 'settled' | 'refused' | 'failed' | 'claimed_by_another';

/** Delivers one notification to one channel, unless another gateway does or did. */
export class ChannelDelivery {
  constructor(
    private readonly targets: NotificationTargets,
    private readonly channels: Pick<RecordedChannels, 'send'>,
    private readonly claims: NotificationClaims,
    /** Decrypts personal data for each attempt. */
    private readonly readable: Pick<Readable, 'value'>,
  ) {}

  /** @throws if the store is unavailable. */
  async attempt(notification: Notification, webhook: Webhook, round: Round): Promise<DeliveryOutcome> {
    const { id, tenant_id } = notification;
    const { webhook_id } = webhook;
    const place = { notice_id: id, webhook_id };
    const claim = await this.claims.claim(place, CLAIMED_FOR_MS);
    if (claim !== 'mine') return claim === 'settled' ? 'settled' : 'claimed_by_another';
    const opened = await this.readable.value(tenant_id, notification);
    const { taken: answer } = await this.channels.send(webhook, this.targets.withUsableLink(webhook, opened), round);
    // The old address refused it: the channel was edited meanwhile.
    const is_edited = this.targets.find(tenant_id, webhook_id) !== webhook;
    if (answer === 'try_again' || (answer === 'refused' && is_edited)) return 'failed';
    await this.claims.settle(place);
    return answer === 'refused' ? 'refused' : 'settled';
  }

  /** Prevents other gateways from sending during a pause before the next attempt. */
  async holdFor(pause_ms: number, notification: Notification, webhook_id: string): Promise<void> {
    const for_ms = Math.min(pause_ms, PAUSE_CLAIMED_MAX_MS) + CLAIMED_FOR_MS;
    await this.claims.claim({ notice_id: notification.id, webhook_id }, for_ms).catch(() => undefined);
  }

  /** No gateway sends it to this channel again. */
  async giveUp(notification: Notification, webhook_id: string): Promise<void> {
    await this.claims.settle({ notice_id: notification.id, webhook_id }).catch(() => undefined);
  }

  /** Releases the claims, so that other gateways can send what this one has not sent. */
  async release(): Promise<void> {
    await this.claims.release().catch(() => undefined);
  }
}
