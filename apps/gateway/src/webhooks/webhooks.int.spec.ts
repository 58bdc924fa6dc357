import { initialConfiguration, tenantPart, type Webhook } from '@countersign/domain';
import { AddressRules } from '@countersign/outbound';
import { SealedSecrets } from '@countersign/process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallbackSender } from '../callbacks/callback-sender.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { type Edit } from '../configuration/configuration-edits.js';
import { RecordedChannels } from '../notifications/recorded-channels.js';
import { FeatureApp } from '../testing/feature-app.js';
import { WebhooksModule } from './webhooks.module.js';
import { CALLBACK_ADDRESSES } from './webhooks.service.js';

const state = initialConfiguration();
const { webhooks } = tenantPart(state, 'acme');
const edit = async (_request: unknown, { draft }: Edit<'webhook_set'>) => {
  const fields = await draft();
  if (!('webhook_id' in fields)) return fields;
  if (fields.state === 'deleted') webhooks.delete(fields.webhook_id);
  else webhooks.set(fields.webhook_id, fields as Webhook);
  return { fields, etag: '"c1"' };
};
const configuration = { state, clock: { now_ms: () => 0 }, edits: { etag: () => '"c1"', edit } };

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(WebhooksModule, [
    { provide: ConfigurationService, useValue: configuration },
    { provide: SealedSecrets, useValue: new SealedSecrets({ tenantKey: () => Buffer.alloc(32) }) },
    { provide: CALLBACK_ADDRESSES, useValue: AddressRules.forCallbacks(false) },
    { provide: RecordedChannels, useValue: {} },
    { provide: CallbackSender, useValue: { secretOf: (tenant_id: string) => `whsec_${tenant_id}` } },
  ]);
});
afterAll(() => app.close());

test('operators create, read and remove channels; others do not', async () => {
  expect((await app.send('GET', '/v1/webhooks')).status).toBe(401);
  expect((await app.send('GET', '/v1/webhooks', { role: 'agent' })).status).toBe(403);
  const made = await app.send('POST', '/v1/webhooks', { role: 'operator', body: { url: 'https://93.184.215.14/hook' } });
  expect([made.status, made.headers['cache-control'], made.body.secret]).toEqual([201, 'no-store', expect.stringMatching(/^whsec_/)]);
  expect(made.headers.location).toBe(`/v1/webhooks/${made.body.webhook_id}`);
  const { secret: _shown_once, ...webhook } = made.body;
  const read = await app.send('GET', `/v1/webhooks/${webhook.webhook_id}`, { role: 'operator' });
  expect([read.body, read.headers.etag]).toEqual([webhook, '"c1"']);
  expect((await app.send('GET', '/v1/webhooks', { role: 'operator' })).body).toEqual({
    items: [{ ...webhook, etag: '"c1"' }],
    next_cursor: null,
  });
  expect((await app.send('DELETE', `/v1/webhooks/${webhook.webhook_id}`, { role: 'operator' })).status).toBe(204);
  expect((await app.send('DELETE', `/v1/webhooks/${webhook.webhook_id}`, { role: 'operator' })).status).toBe(404);
});

test('a channel needs known types, an allowed address, and an admin for acts_as', async () => {
  const types = await app.send('POST', '/v1/webhooks', { role: 'operator', body: { url: 'https://93.184.215.14', types: ['Approval'] } });
  expect([types.status, types.body.validation.issues[0].path]).toEqual([400, '/types/0']);
  const address = await app.send('POST', '/v1/webhooks', { role: 'operator', body: { url: 'http://127.0.0.1/hook' } });
  expect([address.status, address.body.validation.issues[0].path]).toEqual([422, '/url']);
  const acting = { url: 'mailto:ann@example.com', channel: 'mail', acts_as: { id: 'ann', roles: ['approver'] } };
  expect((await app.send('POST', '/v1/webhooks', { role: 'operator', body: acting })).status).toBe(403);
  const unknown = await app.send('POST', '/v1/webhooks', { role: 'operator,admin', body: acting });
  expect([unknown.status, unknown.body.validation.issues[0].path]).toEqual([400, '/acts_as/id']);
});

test('the callback secret is readable for operators, and must not be cached', async () => {
  const { body, headers } = await app.send('GET', '/v1/webhooks/secret', { role: 'operator' });
  expect([body, headers['cache-control']]).toEqual([{ secret: 'whsec_acme' }, 'no-store']);
});
