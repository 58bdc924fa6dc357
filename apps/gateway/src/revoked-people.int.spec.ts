import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DecisionLinks } from './notifications/decision-link.js';
import { AUDIENCE, OpenId, signingKey } from './testing/open-id.js';
import { TestGateway } from './testing/test-gateway.js';

const signing = signingKey('first');
const HOUR_S = 3600;
let gateway: TestGateway;
let provider: OpenId;
beforeAll(async () => {
  provider = await OpenId.open(['carl', 'dora'], [signing.jwk]);
  gateway = await TestGateway.open();
}, 30_000);
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
beforeEach(async () => {
  await gateway.send('DELETE', '/v1/identity-providers/corp');
});

const setProvider = (more: object = {}) =>
  gateway.send('PUT', '/v1/identity-providers/corp', {
    issuer: provider.issuer,
    audiences: [AUDIENCE],
    algorithms: ['ES256'],
    role_mappings: [{ value: 'staff', role: 'approver' }],
    ...more,
  });

/** A token of the provider, issued `ago_s` seconds ago. */
function token(subject: string, { ago_s = 0, iat, roles = ['staff'] }: { ago_s?: number; iat?: unknown; roles?: string[] } = {}) {
  const now_s = Math.floor(Date.now() / 1000);
  return new SignJWT({ roles, iat: iat === undefined ? now_s - ago_s : (iat as number) })
    .setProtectedHeader({ alg: 'ES256', kid: 'first' })
    .setIssuer(provider.issuer)
    .setSubject(subject)
    .setAudience(AUDIENCE)
    .setExpirationTime(now_s + HOUR_S)
    .sign(signing.private);
}

const channel = (acts_as: object, more: object = {}) =>
  gateway.send('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', types: ['approval.granted'], acts_as, ...more });

async function requested(): Promise<string> {
  const { body } = await gateway.call('ask_first');
  return body.approval.approval_id;
}

/** The token of a link as mailed. */
const linkOf = (approval_id: string, webhook_id: string) =>
  new DecisionLinks(gateway.deps.keys, gateway.url, Date.now).token({
    tenant_id: 'default',
    approval_id,
    webhook_id,
    expires_at_ms: Date.now() + 60_000,
  });
const decide = (link: string) => gateway.send('POST', '/v1/decisions', { token: link, vote: 'approve' });
const looked = (link: string) => gateway.send('GET', `/v1/decisions?token=${link}`);
const votes = async () => (await gateway.events('approval-voted')).length;

test('a link that was sent before the last key of its person was revoked neither shows nor decides anything', async () => {
  await gateway.keyFor('carl', ['approver']);
  const { body: made } = await channel({ id: 'carl', roles: ['approver'] });
  const [first, second] = [await requested(), await requested()];
  expect((await looked(linkOf(first, made.webhook_id))).status).toBe(200);
  expect((await decide(linkOf(first, made.webhook_id))).status).toBe(200);
  const { items } = (await gateway.send('GET', '/v1/keys?limit=100')).body;
  for (const one of items) if (one.principal.id === 'carl') await gateway.send('DELETE', `/v1/keys/${one.key_id}`);
  const before = await votes();
  const answers = [await looked(linkOf(second, made.webhook_id)), await decide(linkOf(second, made.webhook_id))];
  expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  expect(answers[1]?.body.detail).toContain('carl');
  expect(await votes()).toBe(before);
  await gateway.restart();
  expect((await decide(linkOf(second, made.webhook_id))).status).toBe(403);
  await gateway.keyFor('carl', ['agent']);
  expect((await decide(linkOf(second, made.webhook_id))).status).toBe(403);
  await gateway.keyFor('carl', ['approver']);
  expect((await decide(linkOf(second, made.webhook_id))).status).toBe(200);
});

test('acts_as needs a person who can vote now with each of the roles, except on a disabled channel', async () => {
  await gateway.keyFor('emma', ['approver']);
  const issues = async (acts_as: object, more: object = {}) => {
    const { status, body } = await channel(acts_as, more);
    return [status, (body.validation?.issues ?? []).map(({ path }: { path: string }) => path)];
  };
  expect(await issues({ id: 'frank', roles: ['approver'] })).toEqual([400, ['/acts_as/id']]);
  expect(await issues({ id: 'emma', roles: ['approver', 'admin'] })).toEqual([400, ['/acts_as/roles/1']]);
  expect(await issues({ id: 'emma', roles: ['approver'], issuer: provider.issuer })).toEqual([400, ['/acts_as/id']]);
  expect(await issues({ id: 'frank', roles: ['approver'] }, { state: 'disabled' })).toEqual([201, []]);
  expect(await issues({ id: 'emma', roles: ['approver'] })).toEqual([201, []]);
});

test('a channel decides for a person of a provider after a verified token, across a restart, until the provider is removed', async () => {
  await setProvider();
  const acts_as = { id: 'dora', roles: ['approver'], issuer: provider.issuer };
  expect((await channel(acts_as)).status).toBe(400);
  expect((await gateway.send('GET', '/v1/approvals', undefined, {}, await token('dora'))).status).toBe(200);
  let made = await channel(acts_as);
  for (const until = Date.now() + 10_000; made.status !== 201 && Date.now() < until; ) made = await channel(acts_as);
  expect([made.status, made.body.acts_as]).toEqual([201, { kind: 'user', ...acts_as }]);
  const [first, second, third] = [await requested(), await requested(), await requested()];
  expect((await decide(linkOf(first, made.body.webhook_id))).status).toBe(200);
  const votes = await gateway.events('approval-voted');
  const voters = votes.map(({ voter_issuer, voter }) => [voter_issuer, voter?.id]);
  expect(voters).toContainEqual([provider.issuer, 'dora']);
  await gateway.restart();
  expect((await decide(linkOf(second, made.body.webhook_id))).status).toBe(200);
  await gateway.send('DELETE', '/v1/identity-providers/corp');
  expect((await decide(linkOf(third, made.body.webhook_id))).status).toBe(403);
  await setProvider();
  expect((await decide(linkOf(third, made.body.webhook_id))).status).toBe(403);
});

test('tokens of people are recorded occasionally, with their issue time, and never for another tenant', async () => {
  await setProvider({ people_live_ms: 8 * HOUR_S * 1000 });
  const recorded = async () =>
    (await gateway.events('configuration-changed')).filter((event) => 'verified_at_ms' in event && event.subject === 'gina');
  const come = async (more: object) => gateway.send('GET', '/v1/tools', undefined, {}, await token('gina', more));
  const until = async (count: number) => {
    for (const end = Date.now() + 10_000; (await recorded()).length < count && Date.now() < end; )
      await come({ ago_s: 0, roles: ['nothing'] });
    return (await recorded()).length;
  };
  await come({ ago_s: 3 * HOUR_S });
  expect(await until(1)).toBe(1);
  expect(Date.now() - (await recorded())[0].verified_at_ms).toBeGreaterThanOrEqual(3 * HOUR_S * 1000);
  await come({ ago_s: 3 * HOUR_S - 60 });
  await come({ ago_s: 4 * HOUR_S });
  await come({ ago_s: 0 });
  expect(await until(2)).toBe(2);
  expect((await recorded()).map(({ meta, roles }) => [meta.tenant_id, roles])).toEqual([
    ['default', ['approver']],
    ['default', ['approver']],
  ]);
});

test('a vote with a token is preceded by a record that its person is active', async () => {
  await setProvider();
  const approval_id = await requested();
  const cast = await gateway.send('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' }, {}, await token('hugo'));
  expect(cast.status).toBe(200);
  const known = (await gateway.events('configuration-changed')).filter((event) => event.subject === 'hugo');
  expect(known).toMatchObject([{ provider_id: 'corp', roles: ['approver'] }]);
});

test('a delegator is recorded before the delegation, even with a token without an approver role', async () => {
  await setProvider({ role_mappings: [{ value: 'staff', role: 'agent' }] });
  const body = { to: 'carl', until: new Date(Date.now() + HOUR_S * 1000).toISOString() };
  expect((await gateway.send('POST', '/v1/vote-delegations', body, {}, await token('lena'))).status).toBe(201);
  expect((await gateway.events('configuration-changed')).filter((event) => event.subject === 'lena')).toMatchObject([{ roles: ['agent'] }]);
});

test('a token with a future or missing issue time is refused; a slightly fast clock is accepted', async () => {
  await setProvider();
  const come = async (iat: unknown) => gateway.send('GET', '/v1/tools', undefined, {}, await token('ida', { iat }));
  const now_s = Math.floor(Date.now() / 1000);
  for (const iat of [now_s + 60, now_s + 10 * 24 * HOUR_S, 1e300]) {
    const { status, body } = await come(iat);
    expect([status, body.detail]).toEqual([401, expect.stringContaining('iat')]);
  }
  expect((await come('yesterday')).status).toBe(401);
  expect((await come(now_s + 2)).status).toBe(200);
  expect((await come(now_s - 60)).status).toBe(200);
});

test('an agent acts for a user only while the user has a valid key, also if the tenant has a provider', async () => {
  await setProvider();
  const user = await gateway.keyFor('jane', ['operator']);
  const agent = await gateway.keyFor('bot', ['agent'], { principal: { kind: 'agent', id: 'bot', roles: ['agent'] } });
  expect((await gateway.send('POST', '/v1/delegations', { agent_id: 'bot' }, {}, user)).status).toBe(201);
  const call = () =>
    gateway.send(
      'POST',
      '/v1/calls',
      { tool: 'write_note', inputs: { path: `p${Math.random()}`, text: 'x' }, on_behalf_of: 'jane' },
      {},
      agent,
    );
  expect((await call()).status).toBe(200);
  const { items } = (await gateway.send('GET', '/v1/keys?limit=100')).body;
  const { key_id } = items.find(({ principal }: { principal: { id: string } }) => principal.id === 'jane');
  await gateway.send('DELETE', `/v1/keys/${key_id}`);
  expect((await call()).status).toBe(403);
});

test('an open event stream ends once the key of its reader is revoked; others stay open', async () => {
  const key = await gateway.keyFor('kim', ['operator']);
  const { body } = await gateway.call('ask_first');
  const open = (bearer: string, signal: AbortSignal) =>
    fetch(`${gateway.url}/v1/calls/${body.call_id}/events`, { headers: { authorization: `Bearer ${bearer}` }, signal });
  const others = new AbortController();
  const [theirs, ours] = [await open(key, AbortSignal.timeout(50_000)), await open(gateway.key, others.signal)];
  expect([theirs.status, ours.status]).toEqual([200, 200]);
  const { items } = (await gateway.send('GET', '/v1/keys?limit=100')).body;
  const { key_id } = items.find(({ principal }: { principal: { id: string } }) => principal.id === 'kim');
  await gateway.send('DELETE', `/v1/keys/${key_id}`);
  expect(await theirs.text()).toContain('event: status');
  let is_open = true;
  const rest = ours.text().then(
    () => {
      is_open = false;
    },
    () => undefined,
  );
  await new Promise((later) => setTimeout(later, 100));
  expect(is_open).toBe(true);
  others.abort();
  await rest;
});
