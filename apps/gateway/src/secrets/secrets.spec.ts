import { Vault } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { SecretsModule } from './secrets.module.js';

const VALUE = 'a-value-of-a-secret';

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(
    [SecretsModule],
    [
      { provide: ConfigurationService, useValue: MemoryConfiguration.service() },
      { provide: Vault, useValue: Vault.inMemory() },
    ],
  );
});
afterAll(() => app.close());

test('without a token it is 401, without the right 403', async () => {
  expect((await app.send('GET', '/v1/secrets')).status).toBe(401);
  expect((await app.send('PUT', '/v1/secrets/workspace/crm', { role: 'agent', body: { value: VALUE } })).status).toBe(403);
  expect((await app.send('PUT', '/v1/secrets/org/crm', { role: 'admin', body: { value: VALUE } })).status).toBe(403);
  const rotated = await app.send('POST', '/v1/secrets:rotate-keys', { role: 'admin' });
  expect([rotated.status, rotated.body.detail]).toEqual([403, 'the keys of secrets can be administered only in tenant default']);
});

test('a value that is too short is refused, and not echoed', async () => {
  const { status, text } = await app.send('PUT', '/v1/secrets/user/crm', { role: 'agent', body: { value: 'shorty' } });
  expect([status, text.includes('/value'), text.includes('shorty')]).toEqual([400, true, false]);
});

test('a secret is set (201), set again (200), rotated with its current ETag and deleted; its value is never returned', async () => {
  const send = (method: string, url: string, body?: unknown, headers = {}) => app.send(method, url, { role: 'admin', body, headers });
  const [url, rotation] = ['/v1/secrets/workspace/crm', '/v1/secrets/workspace/crm/rotate'];
  expect((await send('POST', rotation, { value: VALUE })).status).toBe(404);
  const made = await send('PUT', url, { value: VALUE });
  expect([made.status, made.body.version, made.headers['cache-control']]).toEqual([201, 1, 'no-store']);
  const again = await send('PUT', url, { value: `${VALUE}2` });
  expect([again.status, again.body.version]).toEqual([200, 2]);
  expect((await send('POST', rotation, { value: VALUE }, { 'if-match': made.headers.etag })).status).toBe(412);
  expect((await send('POST', rotation, { value: VALUE }, { 'if-match': again.headers.etag })).body.version).toBe(3);
  const read = await app.send('GET', '/v1/secrets/crm', { role: 'agent' });
  expect([read.body.scope, read.body.user_id, read.text.includes(VALUE)]).toEqual(['workspace', null, false]);
  expect((await send('DELETE', url)).status).toBe(204);
  expect((await send('GET', '/v1/secrets')).body).toEqual({ items: [], next_cursor: null });
});
