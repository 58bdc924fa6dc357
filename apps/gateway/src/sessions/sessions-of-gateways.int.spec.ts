import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { GatewaysOnOneLog } from '../testing/gateways-on-one-log.js';
import { defaultSessionSettings } from './session-settings.js';

const PUBLIC_URL = 'https://gw.example';
const ATTEMPTS = 40;
let both: GatewaysOnOneLog;
beforeAll(async () => {
  const sessions = { ...defaultSessionSettings, attempts_per_address_max: ATTEMPTS };
  both = await GatewaysOnOneLog.open(2, ['write_note'], { public_url: PUBLIC_URL, sessions });
}, 60_000);
afterAll(() => both.close());

let key: string;
let key_id: string;
beforeEach(async () => {
  const principal = { kind: 'user', id: `person-${Math.random()}`, roles: ['operator'] };
  ({ key, key_id } = (await both.ask(0, 'POST', '/v1/keys', { principal })).body as { key: string; key_id: string });
});

/** A browser that reaches gateway n through a proxy that ends TLS. */
function throughProxy(n: number): { browser: Browser; send: (method: string, path: string, body?: unknown) => ReturnType<Browser['raw']> } {
  const browser = new Browser(both.gateways[n]?.port as number, 'gw.example');
  const send = (method: string, path: string, body?: unknown) =>
    browser.raw(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: {
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': '192.0.2.7',
        ...(method === 'GET'
          ? {}
          : { origin: PUBLIC_URL, ...(browser.request_token ? { 'countersign-session': browser.request_token } : {}) }),
      },
    });
  return { browser, send };
}

test('over https a session starts at one gateway and counts at another, with its token; sign-out there ends it here', async () => {
  const [here, there] = [throughProxy(0), throughProxy(1)];
  const started = await here.send('POST', '/v1/session', { key });
  expect([started.status, started.set_cookies[0]]).toEqual([200, expect.stringMatching(/^__Host-countersign=.*; Secure$/)]);
  here.browser.request_token = started.body.request_token;
  there.browser.request_token = started.body.request_token;
  for (const [name, value] of here.browser.jar) there.browser.jar.set(name, value);
  expect((await there.send('POST', '/v1/cases', {})).status).toBe(201);
  expect((await there.send('DELETE', '/v1/session')).status).toBe(204);
  expect((await here.send('GET', '/v1/session')).body.reason).toBe('session_ended');
});

test('signing out everywhere at one gateway ends the sessions at another; a revoked key does too', async () => {
  const people = [new Browser(both.gateways[0]?.port as number), new Browser(both.gateways[1]?.port as number)];
  const [first, second] = people as [Browser, Browser];
  for (const one of people) expect((await one.signIn(key)).status).toBe(200);
  expect((await first.send('POST', '/v1/session:end-all')).status).toBe(204);
  expect((await second.send('GET', '/v1/session')).body.reason).toBe('session_ended');
  for (const one of people) expect((await one.signIn(key)).status).toBe(200);
  expect((await both.ask(0, 'DELETE', `/v1/keys/${key_id}`)).status).toBe(204);
  for (const one of people) expect((await one.send('GET', '/v1/session')).body.reason).toBe('session_ended');
});

test('a cookie of loopback does not count at the public address, nor one of the public address on loopback', async () => {
  const { browser, send } = throughProxy(0);
  await send('POST', '/v1/session', { key });
  const local = new Browser(both.gateways[0]?.port as number);
  await local.signIn(key);
  const [secure, plain] = [browser.jar.get('__Host-countersign') as string, local.jar.get('countersign') as string];
  browser.jar.clear();
  browser.jar.set('countersign', secure);
  local.jar.clear();
  local.jar.set('countersign', secure);
  expect([(await send('GET', '/v1/session')).status, (await local.send('GET', '/v1/session')).status]).toEqual([401, 401]);
  browser.jar.set('__Host-countersign', plain);
  expect((await send('GET', '/v1/session')).status).toBe(401);
});

test('an address has a bounded number of attempts a minute, whatever it sends', async () => {
  const browser = new Browser(both.gateways[1]?.port as number);
  const statuses: number[] = [];
  for (let n = 0; n <= ATTEMPTS; n++) statuses.push((await browser.signIn(`csk_${String(n).padStart(43, 'x')}`)).status);
  expect(statuses.at(-1)).toBe(429);
  const refused = await browser.signIn(key);
  expect([refused.status, refused.headers['retry-after'], refused.body.type]).toEqual([
    429,
    '60',
    'urn:countersign:problem:too-many-sign-ins',
  ]);
  expect((await both.ask(1, 'GET', '/v1/cases')).status).toBe(200);
});
