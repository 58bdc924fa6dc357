import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { TENANT_KEYS } from './tenant-keys.js';
import { TokenExchangesModule } from './token-exchanges.module.js';

const settings = { token_endpoint: 'https://sts.example/token', client_id: 'us', client_secret: 'sts', audience: 'crm' };

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(
    [TokenExchangesModule],
    [
      { provide: ConfigurationService, useValue: MemoryConfiguration.service() },
      { provide: TENANT_KEYS, useValue: { tenantKey: () => Buffer.alloc(32, 1) } },
    ],
  );
});
afterAll(() => app.close());

const put = (body: unknown) => app.send('PUT', '/v1/token-exchanges/crm', { role: 'admin', body });

test('without a token it is 401, and without the role 403', async () => {
  expect((await app.send('GET', '/v1/token-exchanges')).status).toBe(401);
  expect((await app.send('GET', '/v1/token-exchanges', { role: 'operator' })).status).toBe(403);
});

test('an exchange is set, listed and removed; a forbidden endpoint is refused', async () => {
  expect((await put({ ...settings, client_secret: '' })).body.validation.issues[0].path).toBe('/client_secret');
  const inside = await put({ ...settings, token_endpoint: 'https://127.0.0.1/token' });
  expect([inside.status, inside.body.validation.issues[0].path]).toEqual([400, '/token_endpoint']);
  const set = await put(settings);
  expect([set.status, set.body]).toMatchObject([200, { name: 'crm', ...settings, scopes: [] }]);
  const listed = await app.send('GET', '/v1/token-exchanges', { role: 'auditor' });
  expect(listed.body.items).toEqual([{ ...set.body, etag: set.headers.etag }]);
  expect((await app.send('DELETE', '/v1/token-exchanges/crm', { role: 'admin' })).status).toBe(204);
});

test('the keys of actor tokens need no token, and every name has one', async () => {
  const { status, body } = await app.send('GET', '/v1/actor-keys/nobody');
  expect([status, body.keys]).toMatchObject([200, [{ alg: 'EdDSA', use: 'sig', kid: 'actor' }]]);
});
