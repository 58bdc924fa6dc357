import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { FactsModule } from './facts.module.js';

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open([FactsModule], [{ provide: ConfigurationService, useValue: MemoryConfiguration.service() }]);
});
afterAll(() => app.close());

const put = (table: string, body: unknown, headers = {}) => app.send('PUT', `/v1/facts/${table}`, { role: 'policy_admin', body, headers });

test('without a token it is 401, and without the role 403', async () => {
  expect((await app.send('GET', '/v1/facts')).status).toBe(401);
  expect((await app.send('PUT', '/v1/facts/suppliers', { role: 'operator', body: { rows: [] } })).status).toBe(403);
});

test('each fault of a request is reported with its path', async () => {
  const answer = await put('suppliers', { rows: 7, more: true });
  expect([answer.status, answer.body.validation.issues.map(({ path }: { path: string }) => path)]).toEqual([400, ['/rows', '/more']]);
  expect((await put('1st', { rows: [] })).body.detail).toBe('a table name is a letter followed by letters, digits and _');
});

test('a table is set, changed only with its current ETag, listed with its versions and dropped', async () => {
  const made = await put('suppliers', { rows: ['s1', 's2'] });
  expect([made.status, made.body]).toEqual([
    200,
    {
      table: 'suppliers',
      version: 1,
      rows: 2,
      changed_by: 'policy_admin',
      changed_at: made.body.changed_at,
      config_offset: 2,
      instances: [],
    },
  ]);
  const read = await app.send('GET', '/v1/facts/suppliers', { role: 'agent' });
  expect([read.body.rows, read.headers.etag]).toEqual([{ s1: true, s2: true }, made.headers.etag]);
  expect((await put('suppliers', { rows: [] }, { 'if-match': '"c0"' })).status).toBe(412);
  const merged = await app.send('PATCH', '/v1/facts/suppliers', { role: 'admin', body: { set: { s3: { risk: 2 } }, remove: ['s1'] } });
  expect([merged.body.version, merged.body.rows]).toEqual([2, 2]);
  const versions = await app.send('GET', '/v1/facts/suppliers/versions', { role: 'agent' });
  expect(versions.body.items.map(({ rows }: { rows: object }) => rows)).toEqual([
    { s2: true, s3: { risk: 2 } },
    { s1: true, s2: true },
  ]);
  expect((await app.send('DELETE', '/v1/facts/suppliers', { role: 'policy_admin' })).status).toBe(204);
  expect((await app.send('GET', '/v1/facts/suppliers', { role: 'agent' })).status).toBe(404);
});

test('rows may have names such as `constructor`', async () => {
  await put('words', { rows: { constructor: true, prototype: 1 } });
  const { text } = await app.send('GET', '/v1/facts/words', { role: 'agent' });
  expect(text).toContain('"rows":{"constructor":true,"prototype":1}');
});
