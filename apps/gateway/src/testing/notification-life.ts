import { setTimeout as sleep } from 'node:timers/promises';
import { Readable, type Taken } from '@countersign/calls';
import { sampleCall, sampleMeta } from '@countersign/calls/testing/samples';
import { EventCodec, type EventMap } from '@countersign/contracts';
import { initialConfiguration, tenantPart, type Webhook } from '@countersign/domain';
import { BatchDecoder, type EmbeddedEventLog, RequeuedRecords } from '@countersign/event-log';
import { type AppDeps, createLogger, systemClock } from '@countersign/process';
import type { Store } from '@countersign/store';
import { answered } from '../callbacks/send-result.js';
import type { ConfigurationWriter } from '../configuration/configuration-writer.js';
import { ChannelDelivery } from '../notifications/channel-delivery.js';
import type { Notification } from '../notifications/notification.js';
import { NotificationClaims } from '../notifications/notification-claims.js';
import { NotificationReader } from '../notifications/notification-reader.js';
import { NotificationSender } from '../notifications/notification-sender.js';
import { NotificationTargets } from '../notifications/notification-targets.js';
import { NOTIFICATION_GROUP, startNotifications } from '../notifications/notifications.module.js';
import { RecordedChannels } from '../notifications/recorded-channels.js';

const codec = new EventCodec();
const logger = createLogger('gateway', 'silent');
export const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
export const hook: Webhook = {
  webhook_id: 'w',
  channel: 'webhook',
  url: 'https://x.example',
  types: ['approval.*'],
  description: '',
  secret_sealed: null,
  acts_as: null,
  state: 'active',
  by,
  changed_at_ms: 0,
};

let lives = 0;

/** Runs a gateway's notifications over the log, with a channel whose responses the test sets. */
export class NotificationLife {
  readonly sent: string[] = [];
  /** Types of the sent notifications that had a decision link. */
  readonly with_link: string[] = [];
  readonly written: { type: string; fields: unknown }[] = [];
  readonly state = initialConfiguration();
  readonly sender: NotificationSender;
  private end: (() => Promise<void>) | undefined;

  constructor(
    private readonly parts: { log: EmbeddedEventLog; store: Store },
    private readonly answer: (notification: Notification) => Taken,
  ) {
    const { store } = parts;
    tenantPart(this.state, sampleMeta().tenant_id).webhooks.set('w', hook);
    const send = async (_webhook: Webhook, notification: Notification) => {
      this.sent.push(notification.id);
      if (notification.decides) this.with_link.push(notification.id);
      const taken = this.answer(notification);
      return answered(taken, taken === 'taken' ? 200 : 503);
    };
    const channels = new RecordedChannels({ send }, store, systemClock, logger);
    const claims = new NotificationClaims(store, `gateway-${++lives}`);
    const change = async () => void tenantPart(this.state, sampleMeta().tenant_id).webhooks.delete('w');
    const writer = { change } as unknown as ConfigurationWriter;
    const targets = new NotificationTargets({ state: this.state }, writer, Date.now);
    this.sender = new NotificationSender(targets, new ChannelDelivery(targets, channels, claims, Readable.plain), logger);
  }

  async start(): Promise<this> {
    const { log } = this.parts;
    const set = async (_tenant: string, type: string, fields: unknown) => void this.written.push({ type, fields });
    const configuration = { state: this.state, writer: { set } as unknown as ConfigurationWriter, clock: systemClock };
    const requeued = new RequeuedRecords(log, new BatchDecoder(codec, undefined), NOTIFICATION_GROUP);
    const reader = new NotificationReader(this.sender, configuration, { complete: async (notification) => notification }, requeued);
    this.end = await startNotifications({ log, codec, clock: systemClock, logger } as unknown as AppDeps, ['shared'], reader);
    return this;
  }

  async stop(): Promise<void> {
    await this.sender.close();
    await this.end?.();
  }

  /** Resolves when the channel is disabled in the configuration. */
  async disabled(): Promise<void> {
    const { webhooks } = tenantPart(this.state, sampleMeta().tenant_id);
    for (const until = Date.now() + 8000; webhooks.size > 0; await sleep(20)) if (Date.now() > until) throw new Error('it is not disabled');
  }

  async until(count: number): Promise<void> {
    for (const until = Date.now() + 8000; this.sent.length < count; await sleep(20))
      if (Date.now() > until) throw new Error(`${this.sent.length} of ${count}`);
  }
}

/** Records the denial of a call, of which channels are notified. */
export async function recordDenial(log: EmbeddedEventLog, event_id: string, tenant_id = sampleMeta().tenant_id): Promise<void> {
  const source = { topic: 'approval-voted', offset: 0 };
  const event: EventMap['approval_denied'] = {
    meta: { ...sampleMeta(), event_id, tenant_id, partition: 0 },
    approval_id: 'a',
    revision: 1,
    reason: null,
    by,
    source,
    call: sampleCall(),
  };
  await log.append([
    {
      topic: 'approval-granted',
      partition: 0,
      key: null,
      value: codec.encode('approval_denied', event),
      headers: { event_type: 'approval_denied' },
    },
  ]);
}
