import type { EventMap, WebhookSet } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state.js';

/** A channel that notices go to. */
export type Webhook = Omit<WebhookSet, 'meta' | 'based_on'>;

export function setWebhook(state: ConfigurationState, { meta, based_on: _base, ...set }: EventMap['webhook_set']): void {
  const webhook = { ...set, acts_as_issuer: set.acts_as_issuer ?? null };
  const { webhooks } = tenantPart(state, meta.tenant_id);
  if (webhook.state === 'deleted') webhooks.delete(webhook.webhook_id);
  else webhooks.set(webhook.webhook_id, webhook);
}
