import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
let browser: Browser;
let key: string;
let key_id: string;
beforeAll(async () => {
  gateway = await TestGateway.open({}, {}, { attempts_per_address_max: 1_000 });
}, 60_000);
afterAll(() => gateway.close());
beforeEach(async () => {
  browser = new Browser(gateway.running.port);
  const principal = { kind: 'user', id: `person-${Math.random()}`, roles: ['operator', 'approver'] };
  ({ key, key_id } = (await gateway.send('POST', '/v1/keys', { principal })).body);
});

const whoAmI = () => browser.send('GET', '/v1/session');
const reasonOf = async (answer: Promise<{ status: number; body: { reason: string } | undefined }>) => {
  const { status, body } = await answer;
  return [status, body?.reason];
};

test('a key pasted once starts a session; its cookie is http-only, lax and for the whole site, and never has the key or roles', async () => {
  const { status, body, set_cookies, headers } = await browser.signIn(key);
  expect([status, set_cookies.length, headers['cache-control']]).toEqual([200, 1, 'no-store']);
  expect(set_cookies[0]).toMatch(/^countersign=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
  expect(body).toEqual({
    tenant_id: 'default',
    principal: expect.objectContaining({ kind: 'user', roles: ['operator', 'approver'] }),
    signed_in_by: 'key',
    key_id,
    request_token: expect.stringMatching(/^[\w-]{43}$/),
    started_at: expect.any(String),
    idle_expires_at: expect.any(String),
    expires_at: expect.any(String),
  });
  expect(Date.parse(body.expires_at) - Date.parse(body.started_at)).toBe(7 * 86_400_000);
  expect((await whoAmI()).body).toEqual(body);
  expect((await browser.send('GET', '/v1/cases')).headers['cache-control']).toBe('no-store');
  expect((await gateway.send('GET', '/v1/cases')).headers.get('cache-control')).toBe(null);
  const opaque = Buffer.from(browser.jar.get('countersign')?.split('.')[1] ?? '', 'base64').toString('latin1');
  for (const open of [key, key_id, 'operator']) expect(opaque).not.toContain(open);
});

test('a read needs only the cookie; a change needs the origin of the page and the token of the session', async () => {
  await browser.signIn(key);
  const change = (headers: Record<string, string>) => reasonOf(browser.raw('POST', '/v1/cases', { body: {}, headers }));
  const token = { 'countersign-session': browser.request_token as string };
  expect((await browser.raw('GET', '/v1/cases')).status).toBe(200);
  expect(await change({})).toEqual([403, 'cross_site_request']);
  expect(await change({ origin: browser.origin })).toEqual([403, 'request_token_missing']);
  expect(await change({ origin: browser.origin, 'countersign-session': 'x'.repeat(43) })).toEqual([403, 'request_token_missing']);
  expect(await change({ ...token })).toEqual([403, 'cross_site_request']);
  expect(await change({ ...token, origin: 'http://127.0.0.1:1' })).toEqual([403, 'cross_site_request']);
  expect(await change({ ...token, origin: 'null' })).toEqual([403, 'cross_site_request']);
  expect(await change({ ...token, origin: browser.origin, 'sec-fetch-site': 'cross-site' })).toEqual([403, 'cross_site_request']);
  expect((await change({ ...token, 'sec-fetch-site': 'same-origin' }))[0]).toBe(201);
  expect((await browser.send('POST', '/v1/cases', { body: {} })).status).toBe(201);
});

test('the token of one session is refused in another session of the same person', async () => {
  await browser.signIn(key);
  const other = new Browser(gateway.running.port);
  await other.signIn(key);
  other.request_token = browser.request_token;
  expect(await reasonOf(other.send('POST', '/v1/cases', { body: {} }))).toEqual([403, 'request_token_missing']);
});

test('a page of another origin reads nothing with the cookie', async () => {
  await browser.signIn(key);
  for (const site of ['cross-site', 'same-site'])
    expect(await reasonOf(browser.raw('GET', '/v1/cases', { headers: { 'sec-fetch-site': site } }))).toEqual([403, 'cross_site_request']);
  const recorded = (
    await until(async () => (await gateway.events('security-event')).filter(({ detail }) => detail?.includes('GET /v1/cases')))
  ).at(0);
  expect(recorded).toMatchObject({ kind: 'request_refused', principal: { kind: 'user' } });
});

test('a cookie and a Bearer token together, and two cookies of one name, are refused as 400', async () => {
  await browser.signIn(key);
  const both = await browser.raw('GET', '/v1/session', { headers: { authorization: `Bearer ${key}` } });
  expect([both.status, both.body.detail]).toEqual([400, expect.stringContaining('Authorization')]);
  const call = { tool: 'write_note', inputs: { path: 'p', text: 'x' } };
  const direct = await browser.raw('POST', '/v1/calls', { body: call, headers: { authorization: `Bearer ${key}` } });
  expect(direct.status).toBe(400);
  const cookie = `${browser.cookie}; ${browser.cookie}`;
  expect((await browser.raw('GET', '/v1/session', { headers: { cookie } })).status).toBe(400);
  const strange = await browser.raw('GET', '/v1/session', {
    headers: { cookie: 'other=1; countersignx=2', authorization: `Bearer ${key}` },
  });
  expect(await reasonOf(Promise.resolve(strange))).toEqual([401, 'session_ended']);
  expect((await browser.raw('GET', '/v1/cases', { headers: { cookie: 'other=1', authorization: `Bearer ${key}` } })).status).toBe(200);
});

test('a forged, truncated or swapped cookie signs nobody in', async () => {
  await browser.signIn(key);
  const value = browser.jar.get('countersign') as string;
  const [tenant, sealed] = value.split('.') as [string, string];
  const flipped = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`;
  await gateway.send('POST', '/v1/tenants', { tenant_id: 'acme' });
  const swapped = `${Buffer.from('acme').toString('base64url')}.${sealed}`;
  const invented = `${Buffer.from('nowhere').toString('base64url')}.${sealed}`;
  for (const bad of [
    '',
    'x',
    '.',
    tenant,
    `${tenant}.`,
    `${tenant}.${flipped}`,
    value.slice(0, -8),
    swapped,
    invented,
    `${value}.x`,
    'a'.repeat(9_000),
  ])
    expect(await reasonOf(browser.raw('GET', '/v1/session', { headers: { cookie: `countersign=${bad}` } }))).toEqual([
      401,
      'session_ended',
    ]);
  expect((await whoAmI()).status).toBe(200);
});

test('a revoked key ends its sessions at once; a role that the key lost is lost', async () => {
  await browser.signIn(key);
  expect((await browser.send('GET', '/v1/keys')).status).toBe(403);
  expect((await browser.send('GET', '/v1/cases')).status).toBe(200);
  await gateway.send('DELETE', `/v1/keys/${key_id}`);
  expect(await reasonOf(whoAmI())).toEqual([401, 'session_ended']);
  expect(await reasonOf(browser.signIn(key))).toEqual([401, 'sign_in_failed']);
});

test('after sign-out its cookie is refused; the other session of the person stays until sign-out everywhere', async () => {
  await browser.signIn(key);
  const stolen = browser.cookie;
  const other = new Browser(gateway.running.port);
  await other.signIn(key);
  expect((await browser.send('DELETE', '/v1/session')).status).toBe(204);
  expect(browser.jar.size).toBe(0);
  expect(await reasonOf(browser.raw('GET', '/v1/session', { headers: { cookie: stolen } }))).toEqual([401, 'session_ended']);
  expect((await other.send('GET', '/v1/session')).status).toBe(200);
  await browser.signIn(key);
  expect((await browser.send('POST', '/v1/session:end-all')).status).toBe(204);
  expect(await reasonOf(other.send('GET', '/v1/session'))).toEqual([401, 'session_ended']);
  await other.signIn(key);
  expect((await other.send('GET', '/v1/session')).status).toBe(200);
  await gateway.restart();
  const again = new Browser(gateway.running.port);
  for (const [name, value] of other.jar) again.jar.set(name, value);
  expect((await again.send('GET', '/v1/session')).status).toBe(200);
  expect(await reasonOf(again.raw('GET', '/v1/session', { headers: { cookie: stolen } }))).toEqual([401, 'session_ended']);
});

test('a page of another origin cannot sign its visitor in, and no session starts over plain http', async () => {
  const signIn = (headers: Record<string, string>) => reasonOf(browser.raw('POST', '/v1/session', { body: { key }, headers }));
  expect(await signIn({})).toEqual([403, 'cross_site_request']);
  expect(await signIn({ origin: browser.origin, 'sec-fetch-site': 'same-site' })).toEqual([403, 'cross_site_request']);
  expect(await signIn({ origin: 'https://evil.example' })).toEqual([403, 'session_needs_https']);
  expect(await signIn({ host: 'gw.example', origin: 'http://gw.example', 'sec-fetch-site': 'same-origin' })).toEqual([
    403,
    'session_needs_https',
  ]);
  expect(await signIn({ origin: browser.origin })).toEqual([200, undefined]);
});

test('only people sign in, and unknown keys are refused and recorded without the key', async () => {
  const agent = (await gateway.send('POST', '/v1/keys', { principal: { kind: 'agent', id: 'bot', roles: ['agent'] } })).body.key;
  expect(await reasonOf(browser.signIn(agent))).toEqual([403, 'user_required']);
  const unknown = `csk_${'A'.repeat(43)}`;
  expect(await reasonOf(browser.signIn(unknown))).toEqual([401, 'sign_in_failed']);
  expect(await reasonOf(browser.signIn('not a key'))).toEqual([401, 'sign_in_failed']);
  await browser.signIn(key);
  const events = await until(async () => (await gateway.events('security-event')).filter(({ kind }) => kind === 'sign_in_refused'));
  expect(events.map(({ detail }) => detail)).toContain('the key is unknown, revoked or expired');
  const all = JSON.stringify([await gateway.events('security-event'), await gateway.events('configuration-changed')]);
  for (const secret of [unknown, key, agent, browser.jar.get('countersign') as string]) expect(all).not.toContain(secret);
  expect((await gateway.events('security-event')).some(({ kind, detail }) => kind === 'signed_in' && detail === `by key ${key_id}`)).toBe(
    true,
  );
});

test('machine routes take no cookie', async () => {
  await browser.signIn(key);
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  expect((await browser.send('POST', '/mcp', { body: rpc, headers: { accept: 'application/json, text/event-stream' } })).status).toBe(401);
  expect((await browser.send('POST', '/access/v1/evaluation', { body: {} })).status).toBe(401);
});

test('the stream of a session ends once its key is revoked, its person signs out, or the person signs out everywhere', async () => {
  const other = await gateway.keyFor('kim', ['operator']);
  const { body } = await gateway.call('ask_first');
  const open = async (with_key: string) => {
    const by = new Browser(gateway.running.port);
    await by.signIn(with_key);
    const stream = await fetch(`${gateway.url}/v1/calls/${body.call_id}/events`, { headers: { cookie: by.cookie } });
    expect(stream.status).toBe(200);
    return { by, text: stream.text() };
  };
  const [revoked, signed_out, everywhere] = [await open(key), await open(other), await open(other)];
  await gateway.send('DELETE', `/v1/keys/${key_id}`);
  expect((await signed_out.by.send('DELETE', '/v1/session')).status).toBe(204);
  for (const { text } of [revoked, signed_out]) expect(await text).toContain('the credential of this stream is no longer valid');
  await browser.signIn(other);
  expect((await browser.send('POST', '/v1/session:end-all')).status).toBe(204);
  expect(await everywhere.text).toContain('the credential of this stream is no longer valid');
}, 120_000);

/** The first non-empty list. */
async function until<T>(read: () => Promise<T[]>): Promise<T[]> {
  for (const end = Date.now() + 10_000; Date.now() < end; await new Promise((later) => setTimeout(later, 50))) {
    const found = await read();
    if (found.length > 0) return found;
  }
  return [];
}
