import { InfrastructureFault } from '@countersign/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeyUses } from '../authentication/key-uses.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { IdentityModule } from './identity.module.js';

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(
    [IdentityModule],
    [
      { provide: ConfigurationService, useValue: MemoryConfiguration.service() },
      { provide: KeyUses, useValue: { lastUses: (tenant_id: string, key_ids: readonly string[]) => lastUses(tenant_id, key_ids) } },
    ],
  );
});
afterAll(() => app.close());

let lastUses: (tenant_id: string, key_ids: readonly string[]) => Promise<Map<string, number>> = async () => new Map();
const admin = (method: string, url: string, body?: unknown) => app.send(method, url, { role: 'admin', body });

test.each(['tenants', 'keys', 'identity-providers', 'person-links', 'delegations'])('/v1/%s needs a token', async (path) => {
  expect((await app.send('GET', `/v1/${path}`)).status).toBe(401);
});

test.each(['tenants', 'keys', 'identity-providers', 'person-links'])('/v1/%s needs a role', async (path) => {
  const { status, body } = await app.send('GET', `/v1/${path}`, { role: 'agent' });
  expect([status, body.detail.startsWith('this needs one of the roles')]).toEqual([403, true]);
});

describe('keys', () => {
  const principal = { kind: 'agent', id: 'bot', roles: ['agent'] };

  test('a key is shown once, listed without its value and revoked', async () => {
    const made = await admin('POST', '/v1/keys', { principal, purposes: ['ap'] });
    expect([made.status, made.body.key, made.headers['cache-control']]).toEqual([201, expect.stringMatching(/^csk_/), 'no-store']);
    const { key: _key, ...shown } = made.body;
    expect((await admin('GET', '/v1/keys')).body.items).toEqual([shown]);
    expect((await admin('DELETE', `/v1/keys/${made.body.key_id}`)).status).toBe(204);
    expect((await admin('GET', '/v1/keys')).body.items[0].revoked_at).not.toBeNull();
  });

  test('says when it was last used, with one query for a page; without the store it is listed and revoked all the same', async () => {
    const { body: made } = await admin('POST', '/v1/keys', { principal: { ...principal, id: 'used-bot' } });
    const asked: (readonly string[])[] = [];
    lastUses = async (tenant_id, key_ids) => {
      asked.push([tenant_id, ...key_ids]);
      return new Map([[made.key_id, 1_000]]);
    };
    const listed = async () => (await admin('GET', '/v1/keys?principal=used-bot')).body.items;
    expect([await listed(), asked]).toMatchObject([[{ last_used_at: '1970-01-01T00:00:01.000Z' }], [['acme', made.key_id]]]);
    expect((await admin('GET', `/v1/keys/${made.key_id}`)).body.last_used_at).toBe('1970-01-01T00:00:01.000Z');
    lastUses = async () => {
      throw new InfrastructureFault('the store is unavailable');
    };
    expect(await listed()).toMatchObject([{ key_id: made.key_id, last_used_at: null }]);
    expect((await admin('DELETE', `/v1/keys/${made.key_id}`)).status).toBe(204);
    lastUses = async () => new Map();
  });

  test('a rename changes neither the rights of a key nor its revocation', async () => {
    const who = { ...principal, id: 'named-bot' };
    const { key: _key, ...made } = (await admin('POST', '/v1/keys', { principal: who, name: 'Invoices', scopes: ['read'], owner: 'ann' }))
      .body;
    expect(made).toMatchObject({ name: 'Invoices', state: 'active', owner: 'ann', created_by: { id: 'admin' } });
    const url = `/v1/keys/${made.key_id}`;
    expect((await admin('GET', url)).body).toEqual(made);
    expect((await admin('PATCH', url, { name: 'Orders' })).body).toEqual({ ...made, name: 'Orders' });
    await admin('DELETE', url);
    const { body } = await admin('PATCH', url, { name: null });
    expect([body.name, body.state, body.revoked_at]).toEqual([null, 'revoked', expect.any(String)]);
  });

  test.each([[''], ['a\u202eb'], ['a\nb'], ['x'.repeat(101)]])('a name is short and visible: %j is refused', async (name) => {
    const { status, body } = await admin('POST', '/v1/keys', { principal, name });
    expect([status, body.validation.issues[0].path]).toEqual([400, '/name']);
  });

  test('keys are found by principal and by state; one of another tenant is not found', async () => {
    const ids = async (query: string) =>
      (await admin('GET', `/v1/keys?principal=seeker&${query}`)).body.items.map(({ key_id }: { key_id: string }) => key_id);
    const seeker = { principal: { ...principal, id: 'seeker' } };
    const [live, ended] = [(await admin('POST', '/v1/keys', seeker)).body, (await admin('POST', '/v1/keys', seeker)).body];
    await admin('DELETE', `/v1/keys/${ended.key_id}`);
    expect([await ids('state=active'), await ids('state=revoked'), await ids('state=expired')]).toEqual([
      [live.key_id],
      [ended.key_id],
      [],
    ]);
    expect((await admin('GET', '/v1/keys?state=lost')).status).toBe(400);
    for (const [method, body] of [['GET'], ['PATCH', { name: 'mine' }], ['DELETE']] as const)
      expect([method, (await admin(method, '/v1/keys/none', body)).status]).toEqual([method, 404]);
  });

  test('a key for a look-alike principal, or with a past expiry, is refused', async () => {
    const alike = await admin('POST', '/v1/keys', { principal: { ...principal, id: 'b0t' } });
    expect([alike.status, alike.body.validation.issues[0].path]).toEqual([409, '/principal/id']);
    const past = await admin('POST', '/v1/keys', { principal, expires_at: '2020-01-01T00:00:00Z' });
    expect([past.status, past.body.validation.issues[0]]).toMatchObject([400, { path: '/expires_at', code: 'past' }]);
  });
});

test('tenants are created and changed only by tenant default, whatever the body', async () => {
  const { status, body } = await admin('POST', '/v1/tenants', { wrong: true });
  expect([status, body.detail]).toEqual([403, 'tenants can be administered only in tenant default']);
  const { items } = (await admin('GET', '/v1/tenants')).body;
  expect(items.map(({ tenant_id }: { tenant_id: string }) => tenant_id)).toEqual(['acme']);
});

test('an identity provider gets defaults, for audiences of its own tenant', async () => {
  const url = '/v1/identity-providers/corp';
  const settings = { issuer: 'https://id.example', audiences: ['urn:countersign:tenant:acme'] };
  const other = await admin('PUT', url, { ...settings, audiences: ['api'] });
  expect([other.status, other.body.validation.issues[0].path]).toEqual([400, '/audiences']);
  const set = await admin('PUT', url, settings);
  expect([set.status, set.body]).toMatchObject([200, { provider_id: 'corp', jwks_uri: null, kind: 'user', tenant_id: 'acme' }]);
  expect((await admin('GET', '/v1/identity-providers')).body.items).toEqual([{ ...set.body, etag: set.headers.etag }]);
  expect((await admin('DELETE', url)).status).toBe(204);
  expect((await admin('DELETE', url)).status).toBe(404);
});

test('a person link is recorded by a person that it does not concern', async () => {
  const [one, other] = [
    { issuer: 'local', subject: 'paula' },
    { issuer: 'https://id.example', subject: 'p-1' },
  ];
  const body = { one, other, relation: 'same', reason: 'her badge' };
  const put = (of: object) => app.send('PUT', '/v1/person-links/l1', { role: 'policy_admin', body: { ...body, ...of } });
  expect((await put({ other: one })).body.validation.issues[0].path).toBe('/other');
  expect((await put({ one: { issuer: 'local', subject: 'policy_admin' } })).body.detail).toMatch(/^four eyes/);
  const set = await put({});
  const read = await app.send('GET', '/v1/person-links/l1', { role: 'auditor' });
  expect([set.status, read.body, read.headers.etag]).toEqual([200, set.body, set.headers.etag]);
});

test('a user sees and ends only delegations of that user', async () => {
  const given = await app.send('POST', '/v1/delegations', { role: 'approver', body: { agent_id: 'bot' } });
  expect([given.status, given.body]).toMatchObject([201, { user_id: 'approver', agent_id: 'bot', expires_at: null }]);
  expect((await app.send('GET', '/v1/delegations', { role: 'operator' })).body.items).toEqual([]);
  const url = given.headers.location as string;
  expect((await app.send('DELETE', url, { role: 'operator' })).status).toBe(404);
  expect((await app.send('DELETE', url, { role: 'approver' })).status).toBe(204);
});
