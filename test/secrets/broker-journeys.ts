import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import type { TestedPlatform } from '../journeys/journey-world.js';
import { AUDIENCE, CLIENT_SECRET, Sts } from './sts.js';

/**
 * Tokens that tools get instead of the caller's. The platform must be started with COUNTERSIGN_IDENTITY_ALLOW_PRIVATE; each executor
 * caches tokens itself.
 */
export function describeBroker(at: { platform: TestedPlatform }, executors = 1): void {
  describe('token broker', () => {
    const sts = new Sts();
    let admin: Api;
    let agent: Api;
    beforeAll(async () => {
      await sts.open();
      sts.platform_url = at.platform.base;
      admin = at.platform.admin();
      agent = await admin.keyFor('agent', 'bot', ['agent']);
      const provider = { issuer: sts.url, jwks_uri: `${sts.url}/jwks`, audiences: [AUDIENCE], algorithms: ['ES256'] };
      expect((await admin.request('PUT', '/v1/identity-providers/sts', provider)).status).toBe(200);
      expect((await admin.request('PUT', '/v1/secrets/workspace/broker_secret', { value: CLIENT_SECRET })).status).toBe(201);
      const exchange = {
        token_endpoint: `${sts.url}/token`,
        client_id: 'broker',
        client_secret: 'broker_secret',
        audience: 'erp',
        scopes: ['orders'],
      };
      expect((await admin.request('PUT', '/v1/token-exchanges/probe_token', exchange)).status).toBe(200);
    });
    afterAll(async () => {
      sts.close();
    });

    let serial = 0;
    const call = (user_token?: string, by = agent) =>
      by.request<Record<string, unknown>>('POST', '/v1/calls', {
        tool: 'probe_token',
        inputs: { url: `${sts.url}/orders?n=${serial++}` },
        ...(user_token ? { user_token } : {}),
      });

    test('a tool gets a short-lived token of the user with the agent as its actor; the original tokens are never passed on', async () => {
      const user_token = await sts.user('alice');
      const { body } = await call(user_token);
      expect(body).toMatchObject({ status: 'succeeded', on_behalf_of: { id: 'alice' }, output: { status: 200 } });
      expect(body.credentials).toEqual([{ name: 'probe_token', scope: 'exchanged', version: 1 }]);
      const seen = JSON.parse((body.output as { body: string }).body) as Record<string, unknown>;
      expect(seen).toMatchObject({ sub: 'alice', act: { sub: 'bot' }, aud: 'erp', scope: 'orders' });
      expect((seen.exp as number) - (seen.iat as number)).toBeLessThanOrEqual(300);
      expect(sts.exchanges.at(-1)).toMatchObject({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: user_token,
        actor_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        audience: 'erp',
      });
      expect(sts.actors.at(-1)).toMatchObject({ sub: 'bot', iss: AUDIENCE });
      expect(JSON.stringify(sts.exchanges)).not.toContain(agent.key);
      expect(sts.seen).not.toContain(user_token);
      expect(decodeJwt(sts.seen.at(-1) as string).act).toEqual({ sub: 'bot' });
    });

    test('a token is cached for its user and agent until shortly before it expires, and for no other caller', async () => {
      const before = sts.exchanges.length;
      const alice = await sts.user('alice');
      await Promise.all(Array.from({ length: 10 }, () => call(alice)));
      // Cached since the first test by the executor that ran it: same tenant, user, agent, audience.
      expect(sts.exchanges.length - before).toBeLessThan(executors);
      const known = sts.exchanges.length;
      const bob = await sts.user('bob');
      const answers = await Promise.all(Array.from({ length: 10 }, () => call(bob)));
      expect(sts.exchanges.length - known).toBeGreaterThan(0);
      expect(sts.exchanges.length - known).toBeLessThanOrEqual(executors);
      const now = sts.exchanges.length;
      for (const { body } of answers) expect((body.output as { body: string }).body).toContain('"bob"');
      const other = await admin.keyFor('agent', 'other-bot', ['agent']);
      expect(((await call(bob, other)).body.output as { body: string }).body).toContain('"other-bot"');
      expect(sts.exchanges.length).toBe(now + 1);
      sts.lives_s = 2;
      const carol = await sts.user('carol');
      await call(carol);
      await new Promise((later) => setTimeout(later, 1_700));
      await call(carol);
      expect(sts.exchanges.length).toBe(now + 3);
      sts.lives_s = 300;
    });

    test('an absent, refused or expired token is AUTH_REQUIRED with no effect, and states what to issue again', async () => {
      const reissue = async (answer: ReturnType<typeof call>) => {
        const { body } = await answer;
        expect(body).toMatchObject({ status: 'failed', effect: 'none', error: { code: 'AUTH_REQUIRED' } });
        return (body.error as { details: { reissue: { what: string; reason: string }[] } }).details.reissue[0];
      };
      expect(await reissue(call())).toMatchObject({ what: 'user_token', reason: 'absent' });
      sts.refuse = { status: 400, error: 'invalid_grant' };
      expect(await reissue(call(await sts.user('dora')))).toMatchObject({ what: 'user_token', reason: 'refused' });
      sts.refuse = undefined;
      expect((await call(await sts.user('eve', '-10s'))).status).toBe(400); // an expired token is refused at admission
      await admin.request('PUT', '/v1/policies/tools/probe_token', { tier: 'tier_2_approval_required' });
      const waiting = await call(await sts.user('fay', '2s'));
      expect(waiting.status).toBe(202);
      const approver = await admin.keyFor('user', 'ann', ['approver']);
      await new Promise((later) => setTimeout(later, 2_500));
      await approver.request('POST', `/v1/approvals/${(waiting.body.approval as { approval_id: string }).approval_id}/votes`, {
        vote: 'approve',
      });
      const end = await agent.callUntil(waiting.body.call_id as string, ({ status }) => status === 'failed');
      expect(end.error).toMatchObject({ code: 'AUTH_REQUIRED', details: { reissue: [{ what: 'user_token', reason: 'expired' }] } });
      await admin.request('DELETE', '/v1/policies/tools/probe_token');
    });

    test('an unavailable token endpoint is a network fault, which may be retried', async () => {
      sts.refuse = { status: 503, error: 'busy' };
      expect((await call(await sts.user('gil'))).body).toMatchObject({
        status: 'failed',
        error: { code: 'NETWORK_ERROR', retryable: true },
      });
      sts.refuse = undefined;
    });

    test('a token that a resource returns is masked', async () => {
      const exchange = { token_endpoint: `${sts.url}/token`, client_id: 'broker', client_secret: 'broker_secret', audience: 'not-erp' };
      await admin.request('PUT', '/v1/token-exchanges/probe_token', exchange);
      const { body } = await call(await sts.user('alice'));
      expect(body.output).toMatchObject({ status: 401, body: expect.stringContaining('"token":"[secret]"') });
      expect(JSON.stringify(body)).not.toContain(sts.seen.at(-1));
    });
  });
}
