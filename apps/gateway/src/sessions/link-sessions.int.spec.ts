import { firstMeta, sha256Hex } from '@countersign/contracts';
import { CONFIGURATION_TOPIC } from '@countersign/process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { GatewaysOnOneLog } from '../testing/gateways-on-one-log.js';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(() => gateway.close());

const tokenOf = (url: string): string => new URLSearchParams(new URL(url).hash.slice(1)).get('link') as string;
const newToken = async (): Promise<string> => tokenOf((await gateway.send('POST', '/v1/sign-in-links')).body.url);
const browse = () => new Browser(gateway.running.port);
const use = (browser: Browser, token: string, headers: Record<string, string> = {}) =>
  browser.send('POST', '/v1/session:link', { body: { token }, headers });

test('the first start makes the person you and a link to its own address, which signs in once', async () => {
  const { sign_in_url } = gateway.running;
  expect(sign_in_url).toMatch(new RegExp(`^http://127.0.0.1:${gateway.running.port}/sign-in#link=csl_[\\w-]{43}$`));
  const [first, second] = [browse(), browse()];
  const answer = await use(first, tokenOf(sign_in_url as string));
  expect([answer.status, answer.body.signed_in_by, answer.body.principal]).toEqual([
    200,
    'link',
    { kind: 'user', id: 'you', roles: ['approver', 'operator', 'policy_admin'] },
  ]);
  expect((await first.send('GET', '/v1/approvals')).status).toBe(200);
  const again = await use(second, tokenOf(sign_in_url as string));
  expect([again.status, again.body.reason, second.jar.size]).toEqual([401, 'sign_in_failed', 0]);
});

test('a link is made by an admin only, and its token is nowhere on the log', async () => {
  const operator = await gateway.keyFor('olga', ['operator', 'policy_admin']);
  expect((await gateway.send('POST', '/v1/sign-in-links', undefined, {}, operator)).status).toBe(403);
  const token = await newToken();
  expect((await use(browse(), token)).status).toBe(200);
  const log = JSON.stringify([await gateway.events('configuration-changed'), await gateway.events('security-event')]);
  expect(log).not.toContain(token);
  expect(log).toContain(sha256Hex(token));
});

test('a link signs nobody in that is unknown, late, or used through a proxy or another host', async () => {
  const reason = async (token: string, headers: Record<string, string> = {}) => (await use(browse(), token, headers)).body.reason;
  expect(await reason(`csl_${'A'.repeat(43)}`)).toBe('sign_in_failed');
  const token = await newToken();
  expect(await reason(token, { 'x-forwarded-for': '192.0.2.1' })).toBe('loopback_required');
  expect(await reason(token, { forwarded: 'for=192.0.2.1' })).toBe('loopback_required');
  expect(await reason(token, { host: 'gw.example', origin: 'http://gw.example' })).toBe('session_needs_https');
  expect(await reason(token, { origin: 'http://127.0.0.1:1' })).toBe('session_needs_https');
  const late = `csl_${'B'.repeat(43)}`;
  await lateLink(late);
  expect(await reason(late)).toBe('sign_in_failed');
  expect(await reason(token)).toBeUndefined();
});

/** Records a link that expired a minute ago. */
async function lateLink(token: string): Promise<void> {
  const now_ms = Date.now();
  const by = { kind: 'user' as const, id: 'admin', roles: ['admin'] };
  const { key_id } = (await gateway.send('GET', '/v1/keys?principal=you')).body.items[0];
  const times = { created_at_ms: now_ms - 660_000, expires_at_ms: now_ms - 60_000 };
  const event = { meta: firstMeta('default', now_ms), link_id: 'late', token_hash: sha256Hex(token), key_id, by, ...times };
  const value = gateway.deps.codec.encode('sign_in_link_set', event);
  const record = { topic: CONFIGURATION_TOPIC, partition: 0, key: 'default', value, headers: { event_type: 'sign_in_link_set' } };
  await gateway.log.append([record]);
  await newToken();
}

test('revoking the credential of you ends its sessions and links; the next link makes you again', async () => {
  const [browser, token] = [browse(), await newToken()];
  await use(browser, await newToken());
  const keys = (await gateway.send('GET', '/v1/keys?principal=you')).body.items;
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatchObject({ name: 'signs in by link', key_prefix: null });
  await gateway.send('DELETE', `/v1/keys/${keys[0].key_id}`);
  expect((await browser.send('GET', '/v1/session')).status).toBe(401);
  expect((await use(browser, token)).body.reason).toBe('sign_in_failed');
  expect((await use(browser, await newToken())).status).toBe(200);
});

test('of two gateways that use a link at the same time, one signs in', async () => {
  const both = await GatewaysOnOneLog.open(2, []);
  try {
    for (let round = 0; round < 10; round++) {
      const { body } = await both.ask(0, 'POST', '/v1/sign-in-links');
      await both.ask(0, 'PUT', '/v1/policies/settings', { simulation_required: round % 2 === 0 });
      const browsers = both.gateways.map(({ port }) => new Browser(port));
      const token = tokenOf(body.url as string);
      const answers = await Promise.all(browsers.map((browser) => browser.send('POST', '/v1/session:link', { body: { token } })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
      const won = browsers[answers.findIndex(({ status }) => status === 200)] as Browser;
      const other = new Browser(both.gateways.find(({ port }) => !won.origin.endsWith(`:${port}`))?.port as number);
      for (const [name, value] of won.jar) other.jar.set(name, value);
      expect((await other.send('GET', '/v1/session')).status).toBe(200);
    }
  } finally {
    await both.close();
  }
}, 120_000);
