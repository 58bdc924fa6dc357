import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { type Forgery, ForgingProvider } from '../testing/forging-provider.js';
import { AUDIENCE, signingKey } from '../testing/open-id.js';
import { CLIENT_ID, CLIENT_SECRET, OpenIdLogin } from '../testing/open-id-login.js';
import { TestGateway } from '../testing/test-gateway.js';

const REFUSED = '/sign-in?refused=sign_in_failed';
let gateway: TestGateway;
let provider: OpenIdLogin;
let forger: ForgingProvider;
let browser: Browser;
beforeAll(async () => {
  gateway = await TestGateway.open({}, {}, { attempts_per_address_max: 1_000 });
  provider = await OpenIdLogin.open(`${gateway.url}/v1/session/openid:callback`, signingKey('first').jwk);
  forger = await ForgingProvider.open();
  expect((await gateway.send('PUT', '/v1/secrets/workspace/console_client', { value: CLIENT_SECRET })).status).toBe(201);
}, 60_000);
afterAll(async () => {
  await gateway.close();
  await provider.close();
  await forger.close();
});
beforeEach(async () => {
  browser = new Browser(gateway.running.port);
  provider.account = 'alice';
  provider.groups = ['staff', 'unmapped'];
  expect((await set({})).status).toBe(200);
});

const sign_in = { name: 'Corp', client_id: CLIENT_ID, client_secret: 'console_client' };
const set = (more: Record<string, unknown>, id = 'corp') =>
  gateway.send('PUT', `/v1/identity-providers/${id}`, {
    issuer: provider.issuer,
    audiences: [AUDIENCE],
    algorithms: ['ES256'],
    roles_claim: 'groups',
    role_mappings: [{ value: 'staff', role: 'approver' }],
    sign_in,
    ...more,
  });

/** Starts a sign-in. @returns the address of the provider. */
async function start(path = '/v1/session/openid/corp?return_to=/approvals/7'): Promise<string> {
  const { status, headers } = await browser.raw('GET', path);
  expect(status).toBe(302);
  return headers.location as string;
}
/** The browser comes back to the gateway. */
async function comeBack(url: string, by = browser): Promise<string> {
  const { status, headers } = await by.raw('GET', url.replace(gateway.url, ''), { headers: { 'sec-fetch-site': 'cross-site' } });
  expect(status).toBe(302);
  return headers.location as string;
}
const isSignedIn = async (by = browser) => (await by.send('GET', '/v1/session')).status === 200;

test('a person signs in with a real provider and returns to the page; roles come from the claims and the current settings', async () => {
  expect((await browser.raw('GET', '/v1/session/providers')).body).toEqual({
    items: [{ provider_id: 'corp', tenant_id: 'default', name: 'Corp' }],
  });
  const url = new URL(await start());
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', scope: 'openid' });
  expect(url.searchParams.get('state')).not.toBe(url.searchParams.get('nonce'));
  expect(await comeBack(await provider.login(url.href))).toBe('/approvals/7');
  const { body } = await browser.send('GET', '/v1/session');
  expect(body).toMatchObject({
    tenant_id: 'default',
    principal: { kind: 'user', id: 'alice', roles: ['approver'] },
    signed_in_by: 'openid',
    key_id: 'jwt:corp',
  });
  expect(Date.parse(body.expires_at) - Date.parse(body.started_at)).toBe(86_400_000);
  expect([...browser.jar.keys()]).toEqual(['countersign']);
  await set({ role_mappings: [{ value: 'staff', role: 'operator' }] });
  expect((await browser.send('GET', '/v1/session')).body.principal.roles).toEqual(['operator']);
  await set({ sign_in: null });
  expect(await isSignedIn()).toBe(false);
  await set({});
  expect(await isSignedIn()).toBe(true);
  await gateway.send('DELETE', '/v1/identity-providers/corp');
  expect(await isSignedIn()).toBe(false);
  expect((await browser.raw('GET', '/v1/session/openid/corp')).status).toBe(404);
});

test('a session of a person of a provider votes, and signing out everywhere ends it', async () => {
  await comeBack(await provider.login(await start()));
  browser.request_token = (await browser.send('GET', '/v1/session')).body.request_token;
  const { body } = await gateway.call('ask_first');
  const vote = await browser.send('POST', `/v1/approvals/${body.approval.approval_id}/votes`, { body: { vote: 'approve' } });
  expect(vote.status).toBe(200);
  expect((await browser.send('POST', '/v1/session:end-all')).status).toBe(204);
  expect(await isSignedIn()).toBe(false);
});

test('a person without a mapped role does not sign in', async () => {
  provider.groups = ['strangers'];
  expect(await comeBack(await provider.login(await start()))).toBe(REFUSED);
  expect(await isSignedIn()).toBe(false);
});

test('an answer counts only in the browser that asked, with its state, once', async () => {
  const url = await provider.login(await start());
  const victim = new Browser(gateway.running.port);
  expect(await comeBack(url, victim)).toBe(REFUSED);
  const altered = new URL(url);
  altered.searchParams.set('state', 'x'.repeat(43));
  const flow = browser.jar.get('countersign-flow') as string;
  expect(await comeBack(altered.href)).toBe(REFUSED);
  expect(browser.jar.has('countersign-flow')).toBe(false);
  browser.jar.set('countersign-flow', flow);
  expect(await comeBack(url)).toBe('/approvals/7');
  const replaying = new Browser(gateway.running.port);
  replaying.jar.set('countersign-flow', flow);
  expect(await comeBack(url, replaying)).toBe(REFUSED);
  expect([await isSignedIn(), await isSignedIn(replaying), await isSignedIn(victim)]).toEqual([true, false, false]);
});

test('an answer that names another issuer, or an error, is refused', async () => {
  for (const [name, value] of [
    ['iss', 'https://evil.example'],
    ['code', ''],
    ['error', 'access_denied'],
  ] as const) {
    const url = new URL(await provider.login(await start()));
    url.searchParams.set(name, value);
    expect(await comeBack(url.href)).toBe(REFUSED);
    url.searchParams.delete('iss');
    expect(await isSignedIn()).toBe(false);
  }
  const without = new URL(await provider.login(await start()));
  without.searchParams.delete('iss');
  expect(await comeBack(without.href)).toBe(REFUSED);
});

test('the code of one provider is refused in the flow of another', async () => {
  await set({ issuer: forger.issuer }, 'forger');
  const url = new URL(await provider.login(await start()));
  const other = new URL(await start('/v1/session/openid/forger'));
  url.searchParams.set('state', other.searchParams.get('state') as string);
  forger.forgery = { nonce: other.searchParams.get('nonce') as string };
  url.searchParams.delete('iss');
  url.searchParams.set('iss', provider.issuer);
  expect(await comeBack(url.href)).toBe(REFUSED);
});

test.each<[string, Forgery]>([
  ['another nonce', { nonce: 'x' }],
  ['another issuer', { issuer: 'https://evil.example' }],
  ['another audience', { audience: 'another-client' }],
  ['a past expiry', { expires: '1m ago' }],
  ['a key that is not published', { unknown_key: true }],
  ['no signature', { algorithm: 'none' }],
  ['no subject', { subject: '' }],
])('an ID token with %s is refused', async (_what, forgery) => {
  await set({ issuer: forger.issuer }, 'forger');
  const begin = async () => new URL(await start('/v1/session/openid/forger?return_to=/calls'));
  const answer = (url: URL) => `${gateway.url}/v1/session/openid:callback?code=c&state=${url.searchParams.get('state')}`;
  const wrong = await begin();
  forger.forgery = { nonce: wrong.searchParams.get('nonce') as string, ...forgery };
  expect(await comeBack(answer(wrong))).toBe(REFUSED);
  expect(await isSignedIn()).toBe(false);
  const right = await begin();
  forger.forgery = { nonce: right.searchParams.get('nonce') as string };
  expect(await comeBack(answer(right))).toBe('/calls');
  expect(await isSignedIn()).toBe(true);
});

test('a browser returns to paths of this gateway only, and a page of another site starts no sign-in', async () => {
  for (const there of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'x',
    '/..//evil.example',
  ])
    expect([there, (await browser.raw('GET', `/v1/session/openid/corp?return_to=${encodeURIComponent(there)}`)).status]).toEqual([
      there,
      400,
    ]);
  const headers = { 'sec-fetch-site': 'cross-site' };
  expect((await browser.raw('GET', '/v1/session/openid/corp', { headers })).status).toBe(403);
  expect((await browser.raw('GET', '/v1/session/openid/corp', { headers: { host: 'gw.example' } })).status).toBe(403);
});

test('the secret, the code and the tokens of a sign-in are nowhere on the log', async () => {
  const url = await provider.login(await start());
  await comeBack(url);
  const log = JSON.stringify([await gateway.events('configuration-changed'), await gateway.events('security-event')]);
  for (const secret of [CLIENT_SECRET, new URL(url).searchParams.get('code') as string, browser.jar.get('countersign') as string])
    expect(log).not.toContain(secret);
  expect(log).toContain('by OpenID provider corp');
});

test('settings for signing in need a provider of users, and a wrong secret signs nobody in', async () => {
  expect((await set({ kind: 'service' })).body.validation.issues[0].path).toBe('/sign_in');
  await set({ sign_in: { ...sign_in, client_secret: 'absent' } });
  expect(await comeBack(await provider.login(await start()))).toBe(REFUSED);
  await set({ sign_in: { ...sign_in, client_secret: null } });
  expect(await comeBack(await provider.login(await start()))).toBe(REFUSED);
});
