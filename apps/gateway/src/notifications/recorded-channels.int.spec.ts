import { Readable } from '@countersign/calls';
import { initialConfiguration, tenantPart, type Webhook } from '@countersign/domain';
import { createLogger, systemClock } from '@countersign/process';
import { listWebhookAttempts, PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answered } from '../callbacks/send-result.js';
import type { ConfigurationWriter } from '../configuration/configuration-writer.js';
import { ChannelDelivery } from './channel-delivery.js';
import { NotificationClaims } from './notification-claims.js';
import { NotificationSender } from './notification-sender.js';
import { NotificationTargets } from './notification-targets.js';
import { RecordedChannels } from './recorded-channels.js';

const logger = createLogger('gateway', 'silent');
let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
}, 60_000);
afterAll(() => store.close());

test('each attempt is stored with its number, its outcome and the time of the next one', async () => {
  const state = initialConfiguration();
  const hook: Webhook = {
    ...{ webhook_id: 'w', channel: 'webhook', url: 'https://x.example', types: ['approval.*'], description: '', secret_sealed: null },
    ...{ acts_as: null, state: 'active', by: { kind: 'user', id: 'root', roles: ['admin'] }, changed_at_ms: 0 },
  };
  tenantPart(state, 'acme').webhooks.set('w', hook);
  const statuses = [503, 200];
  const send = async () => {
    const status = statuses.shift() as number;
    return answered(status === 200 ? 'taken' : 'try_again', status);
  };
  const channels = new RecordedChannels({ send }, store, systemClock, logger);
  const targets = new NotificationTargets({ state }, {} as ConfigurationWriter, Date.now);
  const delivery = new ChannelDelivery(targets, channels, new NotificationClaims(store, 'gateway-1'), Readable.plain);
  const sender = new NotificationSender(targets, delivery, logger);
  const data = { words: 'of the message' };
  await sender.send({
    id: 'm',
    tenant_id: 'acme',
    type: 'approval.denied',
    title: 'denied',
    timestamp_ms: Date.now(),
    data,
    decides: null,
  });
  await sender.close();

  const { items } = await listWebhookAttempts(store, { tenant_id: 'acme', webhook_id: 'w' }, { limit: 10 });
  const [second, first] = items;
  expect(first).toMatchObject({ message_id: 'm', attempt: 1, status: 503, error: 'refused_by_receiver' });
  expect((first?.next_attempt_at_ms as number) - (first?.at_ms as number)).toBeGreaterThanOrEqual(1_000);
  expect(second).toMatchObject({ message_id: 'm', attempt: 2, status: 200, error: null, next_attempt_at_ms: null });
  expect(JSON.stringify(items)).not.toContain('of the message');
});
