import { LOCAL_ISSUER } from '@countersign/domain';
import { SealedSecrets } from '@countersign/process';
import { beforeEach, expect, test } from 'vitest';
import { authorityOf } from '../authentication/authenticator.js';
import { BrowserPlaces, SECURE_COOKIE } from './browser-place.js';
import { BrowserSessions, RENEWED_EVERY_MS } from './browser-sessions.js';
import { RequestTokens } from './request-tokens.js';
import { sessionClaims } from './session-claims.js';
import { cookiesNamed, SealedCookies, setCookie } from './session-cookies.js';

const HOUR_MS = 3_600_000;
const settings = { idle_ms: 12 * HOUR_MS, life_ms: 24 * HOUR_MS };
const caller = {
  tenant_id: 'acme',
  key_id: 'k1',
  principal: { kind: 'user' as const, id: 'ann', roles: ['approver'] },
  issuer: LOCAL_ISSUER,
  scopes: [],
  clearances: [],
  authority: authorityOf('key:k1', { scopes: null, clearances: [], purposes: null }),
};
/** Keys as two gateways with one master key derive them. */
const keys = () => ({ tenantKey: (tenant_id: string) => Buffer.alloc(32, tenant_id.length) });
let now_ms = 0;
const noted: string[] = [];

function gateway(terms = settings) {
  const places = new BrowserPlaces('https://gw.example');
  const cookies = new SealedCookies(new SealedSecrets(keys(), 'browser-session'), sessionClaims, (id) => ['acme', 'globex'].includes(id));
  const principals = { callerOf: () => caller };
  const refused = { note: (_caller: unknown, _request: unknown, { detail }: { detail: string }) => noted.push(detail) };
  const parts = { places, cookies, tokens: new RequestTokens(keys()), principals, refused };
  return new BrowserSessions(parts as never, { state: { by_tenant: new Map() } } as never, terms, () => now_ms);
}
const request = (headers: Record<string, string>, method = 'GET', url = '/v1/calls') => ({ headers, url, raw: { method } }) as never;
const place = { origin: 'https://gw.example', cookie: SECURE_COOKIE } as const;
const cookieOf = (set_cookie: string) => ({ cookie: set_cookie.split(';')[0] as string });
const renewed = (by: BrowserSessions, cookie: Record<string, string>) => by.answerHeaders(request(cookie))?.['set-cookie'];
const begin = (by = gateway()) => by.begin(place, { by: 'key', key_id: 'k1' }, caller);
const statusOf = (found: unknown) => (found as { more?: { reason: string } } | undefined)?.more?.reason ?? (found ? 'live' : 'none');

beforeEach(() => {
  now_ms = 1_000_000_000;
});

test('over https the cookie is bound to the host, secure, http-only and lax', () => {
  expect(begin().set_cookie).toMatch(/^__Host-countersign=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200; Secure$/);
});

test('any gateway with the master key takes the cookie, until it is idle for too long or reaches its age', () => {
  const started = begin();
  const sent = () => statusOf(gateway().sessionOf(request(cookieOf(started.set_cookie))));
  expect(sent()).toBe('live');
  now_ms += settings.idle_ms - 1;
  expect(sent()).toBe('live');
  now_ms += 1;
  expect(sent()).toBe('session_expired');
});

test('a cookie is renewed after five minutes and not before; renewals do not extend the age', () => {
  const by = gateway();
  let cookie = cookieOf(begin(by).set_cookie);
  expect(renewed(by, cookie)).toBeUndefined();
  now_ms += RENEWED_EVERY_MS - 1;
  expect(renewed(by, cookie)).toBeUndefined();
  for (let passed_ms = RENEWED_EVERY_MS - 1; passed_ms + 6 * HOUR_MS < settings.life_ms; passed_ms += 6 * HOUR_MS) {
    now_ms += 6 * HOUR_MS;
    cookie = cookieOf(renewed(by, cookie) as string);
    expect(statusOf(by.sessionOf(request(cookie)))).toBe('live');
  }
  now_ms = 1_000_000_000 + settings.life_ms;
  expect(statusOf(by.sessionOf(request(cookie)))).toBe('session_expired');
});

test('a shorter age in the settings ends sessions that started under a longer one', () => {
  const started = begin();
  now_ms += 2 * HOUR_MS;
  expect(statusOf(gateway({ ...settings, life_ms: HOUR_MS }).sessionOf(request(cookieOf(started.set_cookie))))).toBe('session_expired');
});

test('a sealed text counts only for its cookie, its tenant and its purpose', () => {
  const [name, value] = cookieOf(begin().set_cookie).cookie.split(/=(.*)/s) as [string, string];
  const seen = (cookie: string, more = {}) => statusOf(gateway().sessionOf(request({ cookie, ...more })));
  expect(seen(`${name}=${value}`)).toBe('live');
  expect(seen(`countersign=${value}`, { host: '127.0.0.1:7070' })).toBe('session_ended');
  expect(seen(`${name}=${Buffer.from('globex').toString('base64url')}.${value.split('.')[1]}`)).toBe('session_ended');
  const flow = new SealedCookies(new SealedSecrets(keys(), 'sign-in-flow'), sessionClaims, () => true);
  const { claims } = begin();
  expect(seen(`${name}=${flow.seal(SECURE_COOKIE, 'acme', claims)}`)).toBe('session_ended');
  expect(seen(`countersign=${value}`)).toBe('none');
});

test('only routes below /v1 take a cookie', () => {
  const cookie = cookieOf(begin().set_cookie);
  for (const url of ['/mcp', '/access/v1/evaluation', '/metrics', '/V1/calls', '/%761/calls', '/'])
    expect(statusOf(gateway().sessionOf(request(cookie, 'GET', url)))).toBe('none');
});

test('a page of another origin is refused, and the refusal is recorded with the person', () => {
  noted.length = 0;
  const headers = { ...cookieOf(begin().set_cookie), origin: 'https://evil.example' };
  expect(statusOf(gateway().sessionOf(request(headers, 'POST')))).toBe('cross_site_request');
  expect(noted).toHaveLength(1);
});

test('each method but GET and HEAD needs the token', () => {
  const started = begin();
  const token = gateway().requestToken(started);
  const sent = (method: string, more = {}) =>
    statusOf(gateway().sessionOf(request({ ...cookieOf(started.set_cookie), origin: place.origin, ...more }, method)));
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    expect(sent(method)).toBe('request_token_missing');
    expect(sent(method, { 'countersign-session': token })).toBe('live');
    expect(sent(method, { 'countersign-session': `${token}x` })).toBe('request_token_missing');
  }
  for (const method of ['GET', 'HEAD']) expect(sent(method)).toBe('live');
});

test('cookies are read by their exact name', () => {
  const named = (cookie: string) => cookiesNamed({ cookie }, 'countersign');
  expect(named('a=1; countersign=x=y; countersign2=z')).toEqual(['x=y']);
  expect(named(' countersign = x ;countersign=y')).toEqual(['x', 'y']);
  expect(named('Countersign=x; xcountersign=y; countersign; =countersign')).toEqual([]);
  expect(cookiesNamed({}, 'countersign')).toEqual([]);
  expect(setCookie('countersign', 'v', 0)).toBe('countersign=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
});
