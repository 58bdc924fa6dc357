import { baseOf, itemNames, LOCAL_ISSUER, rolesLeft, type Webhook } from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { ConfigurationWriter } from '../configuration/configuration-writer.js';
import { type Notification, wants } from './notification.js';

/** Older notifications are not sent: a new consumer group starts at the beginning of the log. */
const AGE_MAX_MS = 24 * 3_600_000;
const GATEWAY = { kind: 'service' as const, id: 'gateway', roles: [] };

/** The channels that receive notifications, from the current configuration. */
export class NotificationTargets {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly writer: Pick<ConfigurationWriter, 'change'>,
    private readonly now_ms: () => number,
  ) {}

  find(tenant_id: string, webhook_id: string): Webhook | undefined {
    return this.configuration.state.by_tenant.get(tenant_id)?.webhooks.get(webhook_id);
  }

  /** Ids of the channels that a notification is for. */
  wanting({ tenant_id, type, timestamp_ms }: Notification): string[] {
    if (timestamp_ms < this.now_ms() - AGE_MAX_MS) return [];
    const webhooks = [...(this.configuration.state.by_tenant.get(tenant_id)?.webhooks.values() ?? [])];
    return webhooks.filter(({ state, types }) => state === 'active' && wants(types, type)).map(({ webhook_id }) => webhook_id);
  }

  /** The notification for a channel. Contains a decision link only if the person of the channel could use it. */
  withUsableLink({ acts_as, acts_as_issuer }: Webhook, notification: Notification): Notification {
    if (!acts_as || notification.decides === null) return notification;
    const person = { issuer: acts_as_issuer ?? LOCAL_ISSUER, id: acts_as.id };
    const at = { roles: acts_as.roles, at_ms: this.now_ms(), as: 'voter' as const };
    const roles = rolesLeft(this.configuration.state, notification.tenant_id, person, at);
    return roles?.length ? notification : { ...notification, decides: null };
  }

  /** Disables a channel that refuses notifications, unless it was edited meanwhile: its address may have changed. */
  async disable(tenant_id: string, webhook: Webhook): Promise<void> {
    const versions = baseOf(this.configuration.state.changes, tenant_id, [itemNames.webhook(webhook.webhook_id)]);
    if (this.find(tenant_id, webhook.webhook_id) !== webhook) return;
    const disabled = { ...webhook, state: 'disabled' as const, by: GATEWAY, changed_at_ms: this.now_ms() };
    await this.writer.change(tenant_id, 'webhook_set', disabled, { versions, is_required: false });
  }
}
