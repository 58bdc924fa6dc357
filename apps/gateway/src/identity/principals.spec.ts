import { afterAll, beforeAll, expect, test } from 'vitest';
import { KeyUses } from '../authentication/key-uses.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { IdentityModule } from './identity.module.js';

const USED_MS = Date.parse('2026-01-02T03:04:05Z');
const configuration = MemoryConfiguration.service();
const queries: { tenant_id: string; key_ids: readonly string[] }[] = [];
const uses = new Map<string, number>();
const lastUses = async (tenant_id: string, key_ids: readonly string[]) => {
  queries.push({ tenant_id, key_ids });
  return uses;
};

let app: FeatureApp;
const made = new Map<string, { key_id: string; key: string }>();

async function mint(name: string, kind: string, id: string, roles: string[]): Promise<void> {
  const { status, body } = await app.send('POST', '/v1/keys', { role: 'admin', body: { name, principal: { kind, id, roles } } });
  expect(status).toBe(201);
  made.set(name, body);
}

const seen = (subject: string, roles: string[], verified_at_ms: number) =>
  configuration.writer.set('acme', 'person_token_verified', { provider_id: 'corp', subject, roles, verified_at_ms });

beforeAll(async () => {
  app = await FeatureApp.open(
    [IdentityModule],
    [
      { provide: ConfigurationService, useValue: configuration },
      { provide: KeyUses, useValue: { lastUses } },
    ],
  );
  await mint('first', 'agent', 'bot', ['agent']);
  await mint('second', 'agent', 'bot', ['agent', 'tool_author']);
  await mint('hers', 'user', 'ann', ['approver']);
  const provider = { issuer: 'https://id.example', audiences: ['urn:countersign:tenant:acme'] };
  expect((await app.send('PUT', '/v1/identity-providers/corp', { role: 'admin', body: provider })).status).toBe(200);
  await seen('ann', ['operator'], Date.now() - 1000);
  await seen('old', ['operator'], Date.now() - 40 * 86_400_000);
});
afterAll(() => app.close());

const get = async (path = '', role = 'auditor') => await app.send('GET', `/v1/principals${path}`, { role });
const ids = async (query: string) => (await get(`?${query}`)).body.items.map(({ principal_id }: { principal_id: string }) => principal_id);

test('only auditors and admins read principals', async () => {
  expect((await app.send('GET', '/v1/principals')).status).toBe(401);
  for (const [role, status] of [
    ['agent', 403],
    ['operator', 403],
    ['auditor', 200],
    ['admin', 200],
  ] as const)
    expect([role, (await get('', role)).status, (await get('/bot', role)).status]).toEqual([role, status, status]);
});

test('a summary has identity, roles and source; keys are expanded', async () => {
  const { body } = await get('?limit=1');
  const ann = { principal_id: 'ann', kinds: ['user'], state: 'active', roles: ['approver', 'operator'], sources: ['key', 'oidc'] };
  expect(body.items).toEqual([{ ...ann, last_seen_at: expect.any(String) }]);
  const rest = await get(`?limit=5&cursor=${body.next_cursor}&fields=principal_id&expand=keys`);
  expect(rest.body.items.map((one: object) => Object.keys(one))).toEqual([
    ['principal_id', 'keys'],
    ['principal_id', 'keys'],
  ]);
});

test('principals are filtered by kind, role, source and state, which one identity must meet together', async () => {
  expect(await ids('kind=agent')).toEqual(['bot']);
  expect(await ids('role=operator')).toEqual(['ann']);
  expect(await ids('source=oidc')).toEqual(['ann', 'old']);
  expect(await ids('state=inactive')).toEqual(['old']);
  expect(await ids('source=key&role=operator')).toEqual([]);
  for (const query of ['kind=robot', 'role=root', 'source=x', 'state=x', 'cursor=x', 'limit=501', 'expand=secrets'])
    expect([query, (await get(`?${query}`)).status]).toEqual([query, 400]);
});

test('a principal has its keys, newest first, with prefix, name and last use, and never a key or its hash', async () => {
  const [first, second] = [made.get('first'), made.get('second')] as { key_id: string; key: string }[];
  uses.set(first?.key_id as string, USED_MS);
  await app.send('DELETE', `/v1/keys/${second?.key_id}`, { role: 'admin' });
  const { body, text } = await get('/bot');
  expect(body).toMatchObject({ principal_id: 'bot', roles: ['agent'], last_seen_at: '2026-01-02T03:04:05.000Z' });
  expect(body.keys).toMatchObject([
    { name: 'second', state: 'revoked', last_used_at: null, key_prefix: second?.key.slice(0, 12) },
    { name: 'first', state: 'active', last_used_at: '2026-01-02T03:04:05.000Z', kind: 'agent' },
  ]);
  for (const { key } of made.values()) expect(text).not.toContain(key);
  expect(text).not.toContain('hash');
});

test('a person whose token is too old is inactive and has no roles; an unknown person is not found', async () => {
  const { body } = await get('/old');
  expect(body).toMatchObject({ state: 'inactive', roles: [], keys: [], identities: [{ source: 'oidc', issuer: 'https://id.example' }] });
  const none = await get('/nobody');
  expect([none.status, none.body.reason]).toEqual([404, 'principal_not_found']);
});

test('uses are read only for the own tenant and the returned keys', () => {
  expect(new Set(queries.map(({ tenant_id }) => tenant_id))).toEqual(new Set(['acme']));
  expect(queries.flatMap(({ key_ids }) => key_ids).every((id) => [...made.values()].some(({ key_id }) => key_id === id))).toBe(true);
});
