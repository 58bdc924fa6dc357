import type { EventMap } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

export function setWebhook(state: ConfigurationState, { meta, based_on: _base, ...set }: EventMap['webhook_set']): void {
  const webhook = { ...set, acts_as_issuer: set.acts_as_issuer ?? null };
  const { webhooks } = tenantPart(state, meta.tenant_id);
  if (webhook.state === 'deleted') webhooks.delete(webhook.webhook_id);
  else webhooks.set(webhook.webhook_id, webhook);
}
