import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { initialConfiguration, tenantPart, type Webhook } from '@countersign/domain';
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import { createLogger, SealedSecrets, systemClock } from '@countersign/process';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallbackSender } from '../callbacks/callback-sender.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { Channels } from '../notifications/channels.js';
import type { DecisionLinks } from '../notifications/decision-link.js';
import { Mailer } from '../notifications/mailer.js';
import { RecordedChannels } from '../notifications/recorded-channels.js';
import { FeatureApp } from '../testing/feature-app.js';
import { WebhooksModule } from './webhooks.module.js';
import { CALLBACK_ADDRESSES } from './webhooks.service.js';

const keys = { tenantKey: () => Buffer.alloc(32) };
const secrets = new SealedSecrets(keys);
const secret = secrets.mint();
const addresses = AddressRules.forCallbacks(true);
const logger = createLogger('gateway', 'silent');
const state = initialConfiguration();
const received: { body: string; signature: unknown }[] = [];
let status = 204;
let answer: Promise<void> = Promise.resolve();
let receiver: Server;
let store: PgliteStore;
let channels: RecordedChannels;
let app: FeatureApp;

function channel(webhook_id: string, url: string, tenant_id = 'acme'): void {
  const by = { kind: 'user' as const, id: 'root', roles: ['operator'] };
  const secret_sealed = secrets.seal(tenant_id, webhook_id, secret);
  const webhook: Webhook = {
    ...{ webhook_id, channel: 'webhook', url, types: ['approval.*'], description: '', secret_sealed },
    ...{ acts_as: null, state: 'disabled', by, changed_at_ms: 0 },
  };
  tenantPart(state, tenant_id).webhooks.set(webhook_id, webhook);
}

const post = (webhook_id: string) => app.send('POST', `/v1/webhooks/${webhook_id}/test`, { role: 'operator' });
const attempts = (webhook_id: string, query = '') => app.send('GET', `/v1/webhooks/${webhook_id}/attempts${query}`, { role: 'operator' });

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({ body: Buffer.concat(parts).toString(), signature: request.headers['webhook-signature'] });
      void answer.then(() => response.writeHead(status).end('words of the receiver'));
    });
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  store = await PgliteStore.open({ memory: true });
  const sender = new CallbackSender(keys, Date.now, new OutboundDoor(addresses));
  const links = { link: () => 'https://gate.example/decide?token=x' } as unknown as DecisionLinks;
  channels = new RecordedChannels(new Channels(sender, new Mailer(undefined, 'x'), secrets, links), store, systemClock, logger);
  app = await FeatureApp.open(WebhooksModule, [
    { provide: ConfigurationService, useValue: { state, clock: systemClock, edits: {} } },
    { provide: SealedSecrets, useValue: secrets },
    { provide: CALLBACK_ADDRESSES, useValue: addresses },
    { provide: CallbackSender, useValue: sender },
    { provide: RecordedChannels, useValue: channels },
  ]);
  channel('w', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?token=hunter2`);
  channel('theirs', 'http://127.0.0.1:1/', 'rival');
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
  receiver.closeAllConnections();
  receiver.close();
});

test('operators test a channel and read its attempts; others do not, and a channel of another tenant is 404', async () => {
  for (const [method, path] of [['POST', 'test'] as const, ['GET', 'attempts'] as const]) {
    expect((await app.send(method, `/v1/webhooks/w/${path}`)).status).toBe(401);
    expect((await app.send(method, `/v1/webhooks/w/${path}`, { role: 'agent' })).status).toBe(403);
    const foreign = await app.send(method, `/v1/webhooks/theirs/${path}`, { role: 'operator' });
    expect([foreign.status, foreign.body.reason]).toEqual([404, 'webhook_not_found']);
  }
  expect(received).toEqual([]);
});

test('a test sends one signed message without a decision link, and returns the outcome', async () => {
  const { status: answered, body } = await post('w');
  expect([answered, body]).toMatchObject([200, { type: 'webhook.test', attempt: 1, status: 204, error: null, next_attempt_at: null }]);
  expect(JSON.parse(received[0]?.body as string)).toMatchObject({ type: 'webhook.test', data: { decision_url: null } });
  expect(received[0]?.signature).toMatch(/^v1,/);
});

test('a refusal of the receiver leaves the channel unchanged, and its response text is not stored', async () => {
  status = 410;
  expect((await post('w')).body).toMatchObject({ status: 410, error: 'refused_by_receiver', next_attempt_at: null });
  expect(tenantPart(state, 'acme').webhooks.get('w')?.state).toBe('disabled');
  const { body } = await attempts('w');
  expect(body.items.map((one: { status: number }) => one.status)).toEqual([410, 204]);
  for (const text of ['hunter2', 'words of the receiver', secret]) expect(JSON.stringify(body)).not.toContain(text);
});

test('an attempt that will be retried has the time; one without a response has the reason', async () => {
  channel('closed', 'http://127.0.0.1:1/');
  const webhook = tenantPart(state, 'acme').webhooks.get('closed') as Webhook;
  const notification = { id: 'm', tenant_id: 'acme', type: 'approval.denied', title: 't', timestamp_ms: 0, data: {}, decides: null };
  await channels.send(webhook, notification, { attempt: 2, pause_ms: 5_000 });
  const { items } = (await attempts('closed')).body;
  expect(items).toMatchObject([{ message_id: 'm', type: 'approval.denied', attempt: 2, status: null, error: 'connection_failed' }]);
  expect(Date.parse(items[0].next_attempt_at)).toBeGreaterThan(Date.parse(items[0].at));
});

test('a tenant runs one test at a time', async () => {
  let release = () => {};
  answer = new Promise((resolve) => {
    release = resolve;
  });
  const before = received.length;
  const first = post('w');
  while (received.length === before) await new Promise((later) => setTimeout(later, 10));
  const second = await post('w');
  expect([second.status, second.body.reason]).toEqual([409, 'webhook_test_running']);
  release();
  expect((await first).status).toBe(200);
  expect((await post('w')).status).toBe(200);
});

test('an unavailable store does not prevent a delivery', async () => {
  const query = () => Promise.reject(new Error('the database is unavailable'));
  const unkept = new RecordedChannels({ send: async () => ({ taken: 'taken', status: 200, error: null }) }, { query }, systemClock, logger);
  const webhook = tenantPart(state, 'acme').webhooks.get('w') as Webhook;
  const notification = { id: 'm', tenant_id: 'acme', type: 'approval.denied', title: 't', timestamp_ms: 0, data: {}, decides: null };
  expect((await unkept.send(webhook, notification, { attempt: 1, pause_ms: 1 })).taken).toBe('taken');
});
