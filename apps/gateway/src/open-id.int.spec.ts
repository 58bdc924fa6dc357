import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AUDIENCE, OpenId, signingKey } from './testing/open-id.js';
import { TestGateway } from './testing/test-gateway.js';

const first = signingKey('first');
const second = signingKey('second');
let gateway: TestGateway;
let provider: OpenId;
beforeAll(async () => {
  provider = await OpenId.open(['alice', 'bob'], [first.jwk]);
  gateway = await TestGateway.open();
  await set({});
}, 30_000);
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const set = (more: Record<string, unknown>, id = 'corp') =>
  gateway.send('PUT', `/v1/identity-providers/${id}`, {
    issuer: provider.issuer,
    audiences: [AUDIENCE],
    algorithms: ['ES256'],
    role_mappings: [{ value: 'staff', role: 'agent' }],
    ...more,
  });
const listTools = (token: string) => gateway.send('GET', '/v1/tools', undefined, {}, token);

/** A token that imitates the provider's, signed by this test. */
function forged(
  more: { issuer?: string; audience?: string; expires?: string; alg?: string; key?: Parameters<SignJWT['sign']>[0]; kid?: string } = {},
) {
  return new SignJWT({ roles: ['staff', 'admin'], scope: 'notes:read' })
    .setProtectedHeader({ alg: more.alg ?? 'ES256', kid: more.kid ?? 'first' })
    .setIssuer(more.issuer ?? provider.issuer)
    .setSubject('mallory')
    .setAudience(more.audience ?? AUDIENCE)
    .setIssuedAt()
    .setExpirationTime(more.expires ?? '5m')
    .sign(more.key ?? first.private);
}

test("a provider's token identifies a principal of its tenant, with roles and rights from its claims", async () => {
  const token = await provider.token('alice');
  const answer = await gateway.call('write_note', {}, {}, token);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    tenant_id: 'default',
    principal: { kind: 'user', id: 'alice' },
    agent_token_ref: 'jwt:corp',
    on_behalf_of: null,
  });
  expect((await gateway.send('GET', '/v1/keys', undefined, {}, token)).status).toBe(403);
});

test('a token of another audience, issuer, key, algorithm or time is refused with the reason', async () => {
  const why = async (token: string | Promise<string>) => {
    const answer = await listTools(await token);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('invalid_token')]);
    return answer.body.detail;
  };
  expect(await why(provider.token('alice', 'urn:somebody:else'))).toContain('no identity provider');
  expect(await why(forged({ issuer: 'https://evil.example' }))).toContain('no identity provider');
  expect(await why(forged({ key: second.private }))).toContain('signature');
  expect(await why(forged({ key: second.private, kid: 'second' }))).toContain('signature');
  expect(await why(forged({ expires: '1s ago' }).then((token) => token.replace(/.$/, (end) => end)))).toContain('expired');
  expect(await why(forged({ alg: 'HS256', key: new TextEncoder().encode('x'.repeat(32)) }))).toContain('algorithm');
  const [head, , tail] = (await forged()).split('.');
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(`{"iss":"${provider.issuer}","aud":"${AUDIENCE}","sub":"x","exp":9999999999}`).toString('base64url')}.${tail}`;
  expect(await why(none)).toContain('not accepted');
  expect(await why(`${head}.e30.${tail}`)).toContain('not accepted');
});

test('a new signing key of a provider is accepted, and tokens of a removed provider are refused at once', async () => {
  const old = await provider.token('bob');
  expect((await listTools(old)).status).toBe(200);
  const { port } = provider;
  await provider.close();
  provider = await OpenId.open(['alice', 'bob'], [second.jwk, first.jwk], port);
  await new Promise((later) => setTimeout(later, 5_100)); // waits for the cooldown: the keys were fetched recently
  expect((await listTools(await provider.token('bob'))).status).toBe(200);
  expect((await listTools(old)).status).toBe(200);
  expect((await gateway.send('DELETE', '/v1/identity-providers/corp')).status).toBe(204);
  expect((await listTools(old)).status).toBe(401);
  await set({});
  expect((await listTools(old)).status).toBe(200);
}, 20_000);

test('a second provider of the same issuer and audience is refused, and a tenant names only its own audiences', async () => {
  expect((await set({}, 'twin')).status).toBe(409);
  await gateway.send('POST', '/v1/tenants', { tenant_id: 'acme' });
  const { key } = (await gateway.send('POST', '/v1/keys', { tenant_id: 'acme', principal: { kind: 'user', id: 'root', roles: ['admin'] } }))
    .body;
  const own = { issuer: provider.issuer, audiences: ['urn:countersign:tenant:acme'], algorithms: ['ES256'], default_roles: ['operator'] };
  expect((await gateway.send('PUT', '/v1/identity-providers/p', { ...own, audiences: [AUDIENCE] }, {}, key)).status).toBe(400);
  expect((await gateway.send('PUT', '/v1/identity-providers/p', { ...own, algorithms: ['HS256'] }, {}, key)).status).toBe(400);
  expect((await gateway.send('PUT', '/v1/identity-providers/p', own, {}, key)).status).toBe(200);
  const token = await provider.token('alice', 'urn:countersign:tenant:acme');
  const answer = await gateway.call('write_note', {}, {}, token);
  expect(answer.body).toMatchObject({ tenant_id: 'acme', principal: { id: 'alice' } });
  expect(
    (await gateway.send('GET', '/v1/identity-providers', undefined, {}, key)).body.items.map((one: { tenant_id: string }) => one.tenant_id),
  ).toEqual(['acme']);
});

test('an agent acts for a user with the token of the user: both are recorded, and it has only the rights of both', async () => {
  const agent = await gateway.keyFor('bot', ['agent'], {
    principal: { kind: 'agent', id: 'bot', roles: ['agent'] },
    scopes: ['notes:read', 'other'],
    clearances: ['pii', 'kvkk'],
  });
  const user_token = await provider.token('alice');
  const body = { tool: 'write_note', inputs: { path: 'for-alice', text: 'x' }, user_token };
  const answer = await gateway.send('POST', '/v1/calls', body, {}, agent);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    principal: { kind: 'agent', id: 'bot' },
    on_behalf_of: { kind: 'user', id: 'alice' },
    delegated_user_token_ref: expect.stringMatching(/^ut_/),
    agent_token_ref: expect.stringMatching(/^key:/),
  });
  const requested = (await gateway.events('tool-call-requested')).find((event) => event.meta.call_id === answer.body.call_id);
  expect(requested.call.authority).toMatchObject({
    scopes: ['notes:read'],
    clearances: ['pii'],
    on_behalf_of: { id: 'alice', roles: ['agent'] },
  });
  expect(JSON.stringify(requested)).not.toContain(user_token.slice(-40));
  const sealed = await gateway.deps.vault.token('default', answer.body.delegated_user_token_ref);
  expect(sealed).toMatchObject({ user_id: 'alice', text: user_token });
  const wrong = async (more: object, key = agent) => (await gateway.send('POST', '/v1/calls', { ...body, ...more }, {}, key)).status;
  expect(await wrong({ user_token: `${user_token.slice(0, -4)}AAAA` })).toBe(400);
  expect(await wrong({ on_behalf_of: 'bob' })).toBe(400);
  expect(await wrong({}, await gateway.keyFor('eve', ['operator']))).toBe(400);
});

test('a standing delegation lets an agent act for its user until it ends, with at most the rights of the user', async () => {
  const user = await gateway.keyFor('carol', ['operator'], { clearances: ['pii'] });
  const agent = await gateway.keyFor('bot', ['agent'], { principal: { kind: 'agent', id: 'bot2', roles: ['agent'] }, clearances: ['*'] });
  const call = () =>
    gateway.send(
      'POST',
      '/v1/calls',
      { tool: 'write_note', inputs: { path: `p${Math.random()}`, text: 'x' }, on_behalf_of: 'carol' },
      {},
      agent,
    );
  expect((await call()).status).toBe(403);
  const made = await gateway.send('POST', '/v1/delegations', { agent_id: 'bot2', clearances: ['pii', 'kvkk'] }, {}, user);
  expect([made.status, made.body.clearances]).toEqual([201, ['pii']]);
  const answer = await call();
  expect([answer.status, answer.body.on_behalf_of]).toEqual([200, { kind: 'user', id: 'carol' }]);
  const requested = (await gateway.events('tool-call-requested')).find((event) => event.meta.call_id === answer.body.call_id);
  expect(requested.call.authority).toMatchObject({ clearances: ['pii'], delegation_id: made.body.delegation_id });
  const stranger = await gateway.keyFor('dave', ['operator']);
  expect((await gateway.send('DELETE', `/v1/delegations/${made.body.delegation_id}`, undefined, {}, stranger)).status).toBe(404);
  expect((await gateway.send('DELETE', `/v1/delegations/${made.body.delegation_id}`, undefined, {}, user)).status).toBe(204);
  expect((await call()).status).toBe(403);
});
